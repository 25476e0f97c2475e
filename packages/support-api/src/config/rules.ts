import { isLoopback } from '@svc/runtime'
import type { ConfigProblem } from './config-error.ts'
import type { ChainTable } from './read-chains.ts'
import type { Settings } from './schema.ts'

/** Checks what settings must keep to together. Each refusal has its code and its fix. */
export function checkRules(values: Settings, table: ChainTable): readonly ConfigProblem[] {
  return [...wireRules(values), ...upstreamRules(values), ...faucetRules(values, table)]
}

/** What is allowed and most likely not meant. */
export function doubtsAbout(values: Settings): readonly ConfigProblem[] {
  const doubts: ConfigProblem[] = []
  const isPublic = values.SVC_ALLOWED_HOSTS.some((name) => !isLoopback(name.replace(/^\[|\]$/g, '')))
  if (isPublic && isLoopback(hostOf(values.SVC_LISTEN)) && values.SVC_TRUSTED_PROXIES.length === 0) {
    doubts.push({
      code: 'PROXY_NOT_NAMED',
      setting: 'SVC_TRUSTED_PROXIES',
      message: 'Behind a proxy that is not named here all clients count as one range of addresses.',
      fix: 'Set it to the address that the proxy comes from, such as 127.0.0.1.',
    })
  }
  if (values.SVC_PIN_BACKEND === 'embedded' && values.SVC_PIN_URL !== undefined) {
    doubts.push({
      code: 'SETTING_UNUSED',
      setting: 'SVC_PIN_URL',
      message: 'The embedded backend has no URL.',
      fix: 'Name the backend in SVC_PIN_BACKEND, or remove SVC_PIN_URL.',
    })
  }
  return doubts
}

function wireRules(values: Settings): readonly ConfigProblem[] {
  const { SVC_TLS_CERT: cert, SVC_TLS_KEY: key, SVC_TRUSTED_PROXIES: proxies } = values
  const problems: ConfigProblem[] = []
  if (cert === undefined && key !== undefined) problems.push(missing('SVC_TLS_CERT', 'TLS'))
  if (cert !== undefined && key === undefined) problems.push(missing('SVC_TLS_KEY', 'TLS'))
  if (!isLoopback(hostOf(values.SVC_LISTEN)) && (cert === undefined || key === undefined) && proxies.length === 0) {
    problems.push({
      code: 'PLAINTEXT_LISTEN',
      setting: 'SVC_LISTEN',
      message: 'App ids and claims would cross the network in the clear.',
      fix: 'Listen on 127.0.0.1, or set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.',
    })
  }
  if (!isLoopback(hostOf(values.SVC_LISTEN)) && values.SVC_ALLOWED_HOSTS.length === 0) {
    problems.push(missing('SVC_ALLOWED_HOSTS', 'A service that listens beyond loopback'))
  }
  return problems
}

function upstreamRules(values: Settings): readonly ConfigProblem[] {
  const { SVC_PIN_BACKEND: backend } = values
  const problems: ConfigProblem[] = []
  if (values.SVC_IDENTITY_PROVIDER_URL === undefined) {
    problems.push(missing('SVC_IDENTITY_PROVIDER_URL', 'The check of app ids'))
  }
  const hasAccount = backend === 'pinata' || backend === 'pinning-service'
  if (hasAccount && values.SVC_PINNING_JWT === undefined) {
    problems.push(missing('SVC_PINNING_JWT', `SVC_PIN_BACKEND=${backend}`))
  }
  if (backend === 'pinning-service' && values.SVC_PIN_URL === undefined) {
    problems.push(missing('SVC_PIN_URL', `SVC_PIN_BACKEND=${backend}`, 'the URL that /pins of the service is below of'))
  }
  const isReachedAsWritten = isLoopback(hostOf(values.SVC_LISTEN)) && !values.SVC_LISTEN.endsWith(':0')
  if (values.SVC_GATEWAY_URL === undefined && backend !== 'embedded') {
    problems.push(missing('SVC_GATEWAY_URL', `SVC_PIN_BACKEND=${backend}`, 'a gateway that finds what is pinned there'))
  } else if (values.SVC_GATEWAY_URL === undefined && !isReachedAsWritten) {
    problems.push(missing('SVC_GATEWAY_URL', 'A service that is not reached where it listens'))
  }
  return problems
}

function faucetRules(values: Settings, { chains, named }: ChainTable): readonly ConfigProblem[] {
  if (values.SVC_FAUCET_PRIVATE_KEY === undefined) return []
  return values.SVC_FAUCET_CHAINS.flatMap((id): ConfigProblem[] => {
    const chain = chains.find((row) => row.id === Number(id))
    if (chain?.testnet === true && (faucetChains.has(chain.id) || named.has(chain.id))) return []
    return [
      {
        code: 'SETTING_INVALID',
        setting: 'SVC_FAUCET_CHAINS',
        message: `The faucet serves 11155111, 84532 and test chains that SVC_CHAINS_FILE names, not ${id}.`,
        fix: 'Correct SVC_FAUCET_CHAINS.',
      },
    ]
  })
}

/** Sepolia and Base Sepolia. */
const faucetChains: ReadonlySet<number> = new Set([11_155_111, 84_532])

function missing(setting: string, cause: string, meaning?: string): ConfigProblem {
  const fix = `Set ${setting}${meaning === undefined ? '' : ` to ${meaning}`}.`
  return { code: 'SETTING_MISSING', setting, message: `${cause} needs it.`, fix }
}

function hostOf(listen: string): string {
  return listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}
