import type { PolicySource } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { SignIns } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { Config } from '../../config/config-shape.ts'
import { openSignIn } from './open-sign-in.ts'
import type { SignInEvent } from './sign-in-options.ts'
import type { SignIn } from './sign-in.ts'

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
