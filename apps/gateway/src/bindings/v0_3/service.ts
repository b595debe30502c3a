import { legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { legacyVersion } from '../../exchange/service-parameters.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admittedCall } from '../grpc/admission.ts';
import { openGrpcCall } from '../grpc/grpc-call.ts';
import type { ServedCall } from '../grpc/rpc.ts';
import { backpressureOf, disposeOnEnd } from '../grpc/serve.ts';
import { LegacyCaller } from './caller.ts';
import { WireError } from './errors.ts';
import { createRequestHandler } from './request-handler.ts';

/** A2A 0.3 over gRPC: the methods of `a2a.v1.A2AService`, a different service than that of 1.0. */
export function createLegacyService(context: GatewayContext): ReturnType<typeof legacyGrpcService> {
  return legacyGrpcService({
    requestHandler: createRequestHandler(context),
    userBuilder: (call) => openCaller(context, call),
    contextBuilder: ({ user }) => {
      if (!(user instanceof LegacyCaller))
        throw new TypeError('a call of version 0.3 reached the SDK before it was opened');
      const sdkContext = user.toContext();
      // The SDK lists the active extensions in the metadata of the answer.
      for (const uri of user.call.activeExtensions) sdkContext.addActivatedExtension(uri);
      return sdkContext;
    },
  });
}

async function openCaller(context: GatewayContext, call: ServedCall<unknown, unknown>): Promise<LegacyCaller> {
  const { rpc } = admittedCall(call);
  const refuse = (thrown: unknown): WireError => new WireError(rpc.refused(thrown), 'grpc');
  try {
    const opened = openGrpcCall(context, call, { version: legacyVersion });
    return new LegacyCaller(opened, {
      refuse,
      drained: 'writableNeedDrain' in call ? backpressureOf(call) : async () => undefined,
      hold: (held) => disposeOnEnd(call, held),
      done: () => {
        opened[Symbol.dispose]();
        rpc.answered();
      },
      zeroIsUnset: true,
    });
  } catch (thrown) {
    throw refuse(thrown);
  }
}
