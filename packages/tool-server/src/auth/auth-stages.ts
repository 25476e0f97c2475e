import type { KeyTier } from '@svc/engine'
import type { Secret } from '@svc/wallet/core'
import type { Config } from '../config/config-shape.ts'
import type { Stage } from './authenticate.ts'
import { apiKeyStage, bearerStage } from './credentials.ts'
import type { SignIn } from './sign-in/sign-in.ts'

/** The stages of authentication in the order they are asked. */
export function authStages(
  { auth: { token }, edgeSecretHeaders }: Pick<Config, 'auth' | 'edgeSecretHeaders'>,
  keys: Readonly<Record<KeyTier, Secret | null>>,
  signIn: Pick<SignIn, 'stages'> | null = null,
): readonly Stage[] {
  const [read, feedback, write] = [keys.read, keys.feedback, keys.write].map((key) => key?.reveal())
  return [
    edgeSecretStage(edgeSecretHeaders),
    apiKeyStage({ read, feedback, write }),
    ...(signIn?.stages ?? []),
    ...(token === null ? [] : [bearerStage(token.reveal())]),
  ]
}

/** Refuses the secret that a client shows to the edge: the edge keeps it, so where it arrives there is none, or one that should not be trusted. */
function edgeSecretStage(headerNames: readonly string[]): Stage {
  return ({ headers }) => (headerNames.some((name) => headers[name] !== undefined) ? { refused: secretSent } : null)
}

const secretSent =
  'A client secret of the access edge came through to the server. It belongs to the edge alone: send requests to the address of the edge, and change the secret.'
