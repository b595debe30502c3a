import type { IGRPCRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/GRPCRoute';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { ConfigMap, Pod, Secret, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';

/** Everything that the chart may render, by version and kind, as Kubernetes 1.30 and the operators define it. */
export interface Kinds {
  'v1 ConfigMap': ConfigMap;
  'v1 Pod': Pod;
  'v1 Secret': Secret;
  'v1 Service': Service;
  'v1 ServiceAccount': ServiceAccount;
  'apps/v1 Deployment': Deployment;
  'apps/v1 StatefulSet': StatefulSet;
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler;
  'networking.k8s.io/v1 Ingress': Ingress;
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy;
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget;
  'gateway.networking.k8s.io/v1 HTTPRoute': IHTTPRoute;
  'gateway.networking.k8s.io/v1 GRPCRoute': IGRPCRoute;
  'keda.sh/v1alpha1 ScaledObject': IScaledObject;
  'keda.sh/v1alpha1 TriggerAuthentication': ITriggerAuthentication;
  'monitoring.coreos.com/v1 PodMonitor': IPodMonitor;
  'monitoring.coreos.com/v1 PrometheusRule': IPrometheusRule;
  'monitoring.coreos.com/v1 ServiceMonitor': IServiceMonitor;
}

/** With the `kind` that distinguishes it. */
export type Manifest = {
  [Kind in keyof Kinds]: Kinds[Kind] & { readonly kind: Kind extends `${string} ${infer Name}` ? Name : never };
}[keyof Kinds];

const kinds: Readonly<Record<keyof Kinds, true>> = {
  'v1 ConfigMap': true,
  'v1 Pod': true,
  'v1 Secret': true,
  'v1 Service': true,
  'v1 ServiceAccount': true,
  'apps/v1 Deployment': true,
  'apps/v1 StatefulSet': true,
  'autoscaling/v2 HorizontalPodAutoscaler': true,
  'networking.k8s.io/v1 Ingress': true,
  'networking.k8s.io/v1 NetworkPolicy': true,
  'policy/v1 PodDisruptionBudget': true,
  'gateway.networking.k8s.io/v1 HTTPRoute': true,
  'gateway.networking.k8s.io/v1 GRPCRoute': true,
  'keda.sh/v1alpha1 ScaledObject': true,
  'keda.sh/v1alpha1 TriggerAuthentication': true,
  'monitoring.coreos.com/v1 PodMonitor': true,
  'monitoring.coreos.com/v1 PrometheusRule': true,
  'monitoring.coreos.com/v1 ServiceMonitor': true,
};

/** Whether an object claims to be one of these; the compiler then checks its fields. */
export function isManifest(object: unknown): object is Manifest {
  const { apiVersion, kind } = Object(object);
  return `${apiVersion} ${kind}` in kinds;
}
