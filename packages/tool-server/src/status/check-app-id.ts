import type { Config } from '../config/config-shape.ts'
import { guardedRequest, ReachError } from '../reach/guarded-request.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, setCommand, warned } from './setup-check.ts'

/**
 * Whether the identity provider that the operator names knows the app id, as pin proxy and faucet ask before they do anything for it. Nothing
 * where either is not named.
 */
export async function checkAppId(
  { upstream: { appId, identityProviderUrl } }: Pick<Config, 'upstream'>,
  place: string,
): Promise<readonly SetupCheck[]> {
  if (appId === null || identityProviderUrl === null) return []
  const id = 'app-id'
  const url = `${identityProviderUrl.replace(/\/+$/, '')}/api/v1/apps/${encodeURIComponent(appId)}/config`
  const asked = { method: 'GET', headers: { accept: 'application/json' }, mostBytes: 65_536 } as const
  const reached = { what: 'the identity provider', url, allowsPrivate: true, timeoutMs }
  const answer = await guardedRequest(reached, asked, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof ReachError) return error
    throw error
  })
  if (answer instanceof ReachError) {
    return [warned(id, answer.message, 'See that SVC_IDENTITY_PROVIDER_URL leads to it, or try again later.')]
  }
  if (answer.status === 200) return [passed(id, 'The identity provider knows the app id (WALLET_APP_ID).')]
  if (answer.status >= 500) {
    return [warned(id, `The identity provider answers ${answer.status}.`, 'Try again later.')]
  }
  const message = `The identity provider knows no such app (WALLET_APP_ID; status ${answer.status}), so pin proxy and faucet refuse it.`
  return [
    failed(
      id,
      message,
      `Name the app of your account there. Run: ${setCommand('WALLET_APP_ID', 'YOUR_APP_ID', place)}`,
    ),
  ]
}

const timeoutMs = 5_000
