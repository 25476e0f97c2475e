import type { Stage } from '../authenticate.ts'

/** Refuses the secret that a client shows to the edge: the edge keeps it, so where it arrives there is none, or one that should not be trusted. */
export function edgeSecretStage(headerNames: readonly string[]): Stage {
  return ({ headers }) => (headerNames.some((name) => headers[name] !== undefined) ? { refused: secretSent } : null)
}

const secretSent =
  'A client secret of the access edge came through to the server. It belongs to the edge alone: send requests to the address of the edge, and change the secret.'
