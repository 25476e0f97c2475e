import { isGranted, type PolicySource } from '@svc/engine'
import { isOfIssuer, createProtectedResource } from '../issued/protected-resource.ts'
import type { TokenStage } from '../token-stage.ts'
import { createHeldAnswers, type SignIn, type SignInOptions, type WalletPlace, type SignInEvent } from './sign-in.ts'
import { createSignInRecord, openSignInState, type SignInKnowledge } from './sign-in-state.ts'
import type { Log } from '@svc/runtime'
import type { SignIns } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { Config } from '../../config/config-shape.ts'

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
    const { createOAuthStage } = await import('../issued/issued-tokens.ts')
    stages.push(createOAuthStage(oauth, options))
  }
  if (edge !== null) {
    const { createEdgeStage } = await import('../issued/issued-tokens.ts')
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

/**
 * The stages of tokens over the state and the audit log of a server that writes; one that only reads opens the state for it alone, and keeps no audit log but
 * its log. Throws `ConfigError` where the state cannot be opened.
 */
export async function openSignInOf(options: SignInPlace): Promise<SignIn> {
  const { config, clientOf, policies, log, write } = options
  const { signIn: named, oauth, edge } = config
  const wallets = named === null ? null : { chain: named.chain, client: clientOf(named.chain) }
  const common = { wallets, oauth, edge, fetch, policies, log, now: Date.now }
  if (write !== null) {
    const audit = (event: SignInEvent) => write.auditSignIn(event)
    return openSignIn({ ...common, signIns: write.signIns, audit, recordsIn: config.dataDir })
  }
  const { openState, requirePrivate } = await import('../../open-state.ts')
  const store = await openState(config)
  try {
    if (config.databaseUrl === null) requirePrivate(config.dataDir)
    const signIn = await openSignIn({ ...common, signIns: store.signIns, audit: async () => {}, recordsIn: null })
    return {
      ...signIn,
      async close() {
        await signIn.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

export type SignInPlace = {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'signIn' | 'oauth' | 'edge'>
  readonly clientOf: (chain: Chain) => PublicClient
  readonly policies: PolicySource
  readonly log: Log
  /** `null` for a server that only reads. */
  readonly write: { readonly signIns: SignIns; auditSignIn(event: SignInEvent): Promise<void> } | null
}
