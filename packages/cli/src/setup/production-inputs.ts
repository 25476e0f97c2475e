import { type AgentRole, roleTemplates } from '@svc/engine/policy'
import { isRpcProvider, rpcProviders } from '@svc/tool-server'
import { type Chain, findChain } from '@svc/wallet/core'
import { readAuthorizationKey, readAuthorizationPublicKey } from '@svc/wallet/provisioning'
import { deployTargets } from './deploy-files.ts'

/**
 * What production needs to know, in the order in which it is asked: each input has its flag, its place in the environment, and what it takes. One
 * whose default is `null` must be given.
 */
export const productionInputs = [
  {
    name: 'walletProvider',
    flag: 'wallet-provider',
    setting: 'SETUP_WALLET_PROVIDER',
    title: 'Wallet provider',
    isSecret: false,
    fallback: () => 'privy',
    choices: () => ['privy'],
    problem: (text) => oneOf(text, ['privy']),
  },
  {
    name: 'appId',
    flag: 'wallet-app-id',
    setting: 'WALLET_APP_ID',
    title: 'App id at the wallet provider',
    isSecret: false,
    fallback: () => null,
    problem: (text) => (/^[a-zA-Z0-9_-]{1,64}$/.test(text) ? null : '1 to 64 letters, digits, "-" and "_"'),
  },
  {
    name: 'appSecret',
    flag: 'wallet-app-secret',
    setting: 'WALLET_APP_SECRET',
    title: 'App secret at the wallet provider',
    isSecret: true,
    fallback: () => null,
    problem: (text) => oneLine(text),
  },
  {
    name: 'authKey',
    flag: 'wallet-auth-key',
    setting: 'WALLET_AUTH_PRIVATE_KEY',
    title: 'P-256 key that authorizes requests to the provider (empty: one is made)',
    isSecret: true,
    fallback: () => '',
    problem: (text) =>
      text === ''
        ? null
        : keyProblem(() => readAuthorizationKey(text, 'key'), 'a private P-256 key: PEM, or base64 of PKCS#8 DER'),
  },
  {
    name: 'ownerKey',
    flag: 'owner-key',
    setting: 'SETUP_OWNER_PUBLIC_KEY',
    title: 'Public P-256 key of who may change the policy (empty: a pair is made, to be moved away)',
    isSecret: false,
    fallback: () => '',
    problem: (text) =>
      text === ''
        ? null
        : keyProblem(() => readAuthorizationPublicKey(text, 'key'), 'a P-256 key: PEM, or base64 of SPKI DER'),
  },
  {
    name: 'chains',
    flag: 'chains',
    setting: 'SETUP_CHAINS',
    title: 'Chains on which the wallet may act, with commas between them',
    isSecret: false,
    fallback: () => 'base',
    problem: (text, { table }) =>
      text.split(',').every((name) => findChain(table, name.trim()) !== undefined)
        ? null
        : `some of ${table.map(({ name }) => name).join(', ')}`,
  },
  {
    name: 'rpcProvider',
    flag: 'rpc-provider',
    setting: 'SVC_RPC_PROVIDER',
    title: 'Endpoints: the name of a provider, a template with {chain} or {chainId} and {key}, or the URL of one chain',
    isSecret: false,
    fallback: () => null,
    problem: (text, { given }) => endpointProblem(text, given['chains'] ?? 'base'),
  },
  {
    name: 'rpcApiKey',
    flag: 'rpc-api-key',
    setting: 'RPC_API_KEY',
    title: 'Key of the endpoints',
    isSecret: true,
    fallback: ({ given }) => (takesKey(given['rpcProvider']) ? null : ''),
    problem: (text, { given }) => (text === '' && !takesKey(given['rpcProvider']) ? null : oneLine(text)),
  },
  {
    name: 'role',
    flag: 'role',
    setting: 'SETUP_ROLE',
    title: "Role, which chooses the wallet's policy at the provider",
    isSecret: false,
    fallback: () => 'vault_participant',
    choices: () => Object.keys(roleTemplates),
    problem: (text) => oneOf(text, Object.keys(roleTemplates)),
  },
  {
    name: 'deployTarget',
    flag: 'deploy-target',
    setting: 'SETUP_DEPLOY_TARGET',
    title: 'Where the server is to run',
    isSecret: false,
    fallback: () => null,
    choices: () => Object.keys(deployTargets),
    problem: (text) => oneOf(text, Object.keys(deployTargets)),
  },
] as const satisfies readonly ProductionInput[]

export type ProductionInput = {
  readonly name: string
  readonly flag: string
  /** Where it is looked for in the environment, and then in the environment file. */
  readonly setting: string
  /** As a person is asked. */
  readonly title: string
  readonly isSecret: boolean
  /** What holds without an answer; `null` where there must be one. */
  readonly fallback: (asked: Asked) => string | null
  readonly choices?: () => readonly string[]
  /** What it takes instead; `null` for a text that will do. Quotes nothing. */
  readonly problem: (text: string, asked: Asked) => string | null
}

/** What is known so far, by name, and the chains of this server. */
export type Asked = { readonly given: Readonly<Record<string, string>>; readonly table: readonly Chain[] }

/** Everything that production needs to know. */
export type ProductionAnswers = Readonly<Record<(typeof productionInputs)[number]['name'], string>>

export function isRole(name: string): name is AgentRole {
  return Object.hasOwn(roleTemplates, name)
}

/** Whether endpoints want a key beside them. */
export function takesKey(endpoints: string | undefined): boolean {
  return isRpcProvider(endpoints) || endpoints?.includes('{key}') === true
}

function oneOf(text: string, accepted: readonly string[]): string | null {
  return accepted.includes(text) ? null : `one of ${accepted.join(', ')}`
}

function oneLine(text: string): string | null {
  return /^[\x21-\x7e]{1,4096}$/.test(text) ? null : 'one line without spaces'
}

function keyProblem(read: () => unknown, accepted: string): string | null {
  try {
    read()
    return null
  } catch {
    return accepted
  }
}

function endpointProblem(text: string, chains: string): string | null {
  if (isRpcProvider(text)) return null
  const names = Object.keys(rpcProviders).join(', ')
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text)) return `${names}, or an http or https URL`
  const isTemplate = /\{chain(Id)?\}/.test(text)
  return isTemplate || !chains.includes(',') ? null : `${names}, or a template with {chain} or {chainId}`
}
