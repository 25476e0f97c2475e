import { isGranted } from '@svc/engine'
import { isOfIssuer } from '../issued/oauth-id.ts'
import { createProtectedResource } from '../issued/protected-resource.ts'
import type { TokenStage } from '../token-stage.ts'
import { createHeldAnswers } from './held-answers.ts'
import type { SignIn } from './sign-in.ts'
import type { SignInOptions, WalletPlace } from './sign-in-options.ts'
import { createSignInRecord } from './sign-in-record.ts'
import { openSignInState, type SignInKnowledge } from './sign-in-state.ts'

/** Opens the stages over the state that all replicas of the server share. Rejects where that cannot be read. */
export async function openSignIn(options: SignInOptions): Promise<SignIn> {
  const { signIns, policies, now, log, wallets, oauth } = options
  let onLooked = (): void => {}
  const state = await openSignInState({
    signIns,
    signsTokens: wallets !== null,
    now,
    onLooked: () => onLooked(),
    onError: (error) => log.warn('sign-in.look-failed', { error }),
  })
  let place: string | null = null
  const url = () => place
  const ofWallets = wallets === null ? null : await openOwnTokens(wallets, { ...options, state, url })
  const tokens = [...(ofWallets === null ? [] : [ofWallets.tokens]), ...(await openIssued({ ...options, state, url }))]
  const held = createHeldAnswers({
    isRevoked: (principal) => tokens.some((one) => one.isRevoked(principal)),
    isInForce: (principal) => state.isFresh() && isInForce(principal, options, state),
    now,
  })
  const record = createSignInRecord({
    directory: options.recordsIn,
    async report(event) {
      await options.audit(event)
      const { event: name, ...facts } = event
      log.info(name, facts)
    },
    onError: (error) => log.warn('sign-in.unaudited', { error }),
  })
  await record.look(state.seen()).catch((error: unknown) => {
    state.close()
    throw error
  })
  onLooked = () => {
    held.breakOff()
    void record.look(state.seen())
    // A policy that changed is felt as soon, also where nobody writes.
    policies.current().catch(() => {})
  }
  return Object.freeze({
    serveAt: (url: string) => void (place = url),
    wallets: ofWallets?.signIn ?? null,
    resource: oauth.length === 0 ? null : createProtectedResource(oauth, () => placed(place)),
    stages: tokens.map(({ stage }) => stage),
    isInForce: (principal: Parameters<SignIn['isInForce']>[0]) => isInForce(principal, options, state),
    hold: held.hold,
    async close() {
      // A look that is still under way is nobody's any more.
      onLooked = () => {}
      state.close()
      await record.settled()
    },
  })
}

type Opening = SignInOptions & { readonly state: SignInKnowledge; readonly url: () => string | null }

async function openOwnTokens(wallets: WalletPlace, opening: Opening) {
  const { openWallets } = await import('./open-wallets.ts')
  return openWallets(wallets, opening)
}

/** Those of issuers elsewhere; the code of each is read where one is named. */
async function openIssued({ oauth, edge, url, log, ...opening }: Opening): Promise<readonly TokenStage[]> {
  const options = {
    ...opening,
    audience: url,
    onVerified: (facts: Readonly<Record<string, unknown>>) => log.info('auth.token-verified', facts),
    onError: (error: unknown) => log.warn('auth.keys-unread', { error }),
  }
  const stages: TokenStage[] = []
  if (oauth.length > 0) {
    const { createOAuthStage } = await import('../issued/oauth-stage.ts')
    stages.push(createOAuthStage(oauth, options))
  }
  if (edge !== null) {
    const { createEdgeStage } = await import('../issued/edge-stage.ts')
    stages.push(createEdgeStage(edge, options))
  }
  return stages
}

function isInForce(
  principal: Parameters<SignIn['isInForce']>[0],
  { policies, wallets, oauth, edge }: SignInOptions,
  state: Pick<SignInKnowledge, 'isRevoked'>,
): boolean {
  const { id, stage, tokenId } = principal
  if (state.isRevoked(id.replace(/^siwe:/, 'address:'))) return false
  if (tokenId !== undefined && state.isRevoked(`jti:${tokenId}`)) return false
  if (stage === 'siwe') return wallets !== null && isGranted(policies.latest(), principal)
  if (stage === 'edge-access') return edge !== null && isGranted(policies.latest(), principal)
  return stage === 'oauth' && isOfIssuer(principal, oauth)
}

function placed(place: string | null): string {
  if (place === null) throw new TypeError('The server has no address yet.')
  return place
}
