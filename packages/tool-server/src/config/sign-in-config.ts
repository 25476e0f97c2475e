import { registryOf } from '@svc/engine'
import { isLoopback } from '@svc/runtime'
import { type Chain, findChain } from '@svc/wallet/core'
import { invalid, type Config, type ConfigProblem } from './config-shape.ts'
import { type Settings, defaultSecretHeader } from './schema.ts'

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

/** The edge only where all that its tokens are held against is there; what is missing is a broken rule, not half an edge. */
export function readEdge(values: Settings): Pick<Config, 'edge' | 'edgeSecretHeaders'> {
  const { SVC_EDGE_ISSUER: issuer, SVC_EDGE_KEYS_URL: keysUrl, SVC_EDGE_AUDIENCE: audiences } = values
  const isWhole = issuer !== undefined && keysUrl !== undefined && audiences !== undefined
  return {
    edge: isWhole ? { issuer, keysUrl, audiences, tokenHeader: values.SVC_EDGE_TOKEN_HEADER } : null,
    edgeSecretHeaders: [...new Set([defaultSecretHeader, values.SVC_EDGE_SECRET_HEADER])],
  }
}

/** What tokens of others rest on. */
export function issuerRules(config: Config, values: Settings): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const edge = ['SVC_EDGE_ISSUER', 'SVC_EDGE_KEYS_URL', 'SVC_EDGE_AUDIENCE'] as const
  const absent = edge.filter((name) => values[name] === undefined)
  if (absent.length < edge.length) {
    for (const setting of absent) {
      const message = 'An access edge has an issuer, a place of its keys and an audience.'
      problems.push({ code: 'SETTING_MISSING', setting, message, fix: `Set ${setting}.` })
    }
  }
  const issuers = config.oauth.map(({ issuer }) => issuer)
  const isNamedTwice = new Set(issuers).size < issuers.length
  if (isNamedTwice) problems.push(invalid('SVC_OAUTH_ISSUERS', 'It names an issuer twice.'))
  if (config.edge !== null && issuers.includes(config.edge.issuer))
    problems.push(invalid('SVC_OAUTH_ISSUERS', 'It names the issuer of the edge, whose tokens are for the edge alone.'))
  return problems
}
