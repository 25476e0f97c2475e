import { registryOf } from '@svc/engine'
import { isLoopback } from '@svc/runtime'
import { type Chain, findChain } from '@svc/wallet/core'
import type { Config, ConfigProblem } from './config-shape.ts'
import type { Settings } from './schema.ts'

/** The chain whose wallets and agents sign in; `null` where nobody does, or where it is named wrongly, which `signInRules` says. */
export function readSignIn({ SVC_SIWE_CHAIN: named }: Settings, chains: readonly Chain[]): Config['signIn'] {
  const chain = named === undefined ? undefined : findChain(chains, named)
  return chain === undefined ? null : { chain }
}

/**
 * What sign-in rests on: a chain with a registry, and endpoints that the operator chose, since whoever answers for them says who is who.
 */
export function signInRules(config: Config, values: Settings): readonly ConfigProblem[] {
  const { signIn, rpc, chains } = config
  if (values.SVC_SIWE_CHAIN === undefined) return []
  if (signIn === null) {
    const names = chains.map(({ name }) => name).join(', ')
    return [invalid('SVC_SIWE_CHAIN', `This server has no such chain. Accepted: ${names}.`)]
  }
  const { chain } = signIn
  const problems: ConfigProblem[] = []
  if (registryOf(chain) === null) {
    problems.push(invalid('SVC_SIWE_CHAIN', `${chain.name} has no identity registry that this server reads.`))
  }
  if (chain.local !== true && !rpc.urls.has(chain.id) && rpc.provider === null) {
    const setting = `SVC_RPC_URL_${chain.id}`
    const message = 'Who signs in is read from the chain, and public endpoints could say anything of that.'
    problems.push({ code: 'SETTING_MISSING', setting, message, fix: `Set ${setting}, or SVC_RPC_PROVIDER.` })
  }
  return problems
}

/** The name by which messages and tokens are for this server, which no header of a request decides. */
export function addressRules({ signIn, oauth, listen, publicUrl }: Config): readonly ConfigProblem[] {
  const isNamed = publicUrl !== null || (isLoopback(listen.host) && listen.host !== '::1')
  if (isNamed || (signIn === null && oauth.length === 0)) return []
  const message =
    'Sign-in messages and access tokens name the address of the server, and it listens where clients may know it by another.'
  const fix = 'Set SVC_PUBLIC_URL to where clients reach it, such as https://mcp.example.com/mcp.'
  return [{ code: 'SETTING_MISSING', setting: 'SVC_PUBLIC_URL', message, fix }]
}

function invalid(setting: string, message: string): ConfigProblem {
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}
