/** Why a subgraph gave no usable answer. The message is a clause of our own, ready to follow "The subgraph"; no URL, no key, nothing it said. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError'
  readonly kind: SubgraphErrorKind

  constructor(kind: SubgraphErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** `broken` and `unreachable` may pass when asked again; the others do not. `untrue` is what the chain itself tells otherwise. */
export type SubgraphErrorKind = 'unreachable' | 'broken' | 'timeout' | 'refused' | 'malformed' | 'stale' | 'untrue'
