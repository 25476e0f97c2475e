/** Why one endpoint gave no JSON-RPC answer that can be used. Its message holds what the endpoint or the network said: never sent to a caller. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly reason: EndpointFailure

  constructor(reason: EndpointFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

/** `limited` is a no to haste (429), `refused` any other no, `broken` an answer that is not JSON-RPC, or none to what was asked. */
export type EndpointFailure = 'timeout' | 'unreachable' | 'broken' | 'limited' | 'refused' | 'other-chain' | 'stale'
