import { type Attributes, type Context, type Link, type SpanKind, TraceFlags } from '@opentelemetry/api';
import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/**
 * A child is recorded as its parent is, the trace of a turn as the span that it is linked to, and of what begins with
 * us a share: what is recorded is whole.
 */
export function sampler(share: number): Sampler {
  return new ParentBasedSampler({ root: new LinkBasedSampler(new TraceIdRatioBasedSampler(share)) });
}

class LinkBasedSampler implements Sampler {
  readonly #unlinked: Sampler;

  constructor(unlinked: Sampler) {
    this.#unlinked = unlinked;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const [link] = links;
    if (!link) return this.#unlinked.shouldSample(context, traceId, name, kind, attributes, links);
    const isSampled = (link.context.traceFlags & TraceFlags.SAMPLED) !== 0;
    return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `LinkBased{${this.#unlinked}}`;
  }
}
