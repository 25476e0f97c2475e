import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import { signIn, type SignInOptions } from '@svc/wallet'
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  stringToHex,
  type PrivateKeyAccount,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { readConfig } from '../../config.ts'
import { openServer } from '../../open-server.ts'
import type { Challenge, SignInAnswer } from './sign-in.ts'

/** A server that wallets sign in to, from its settings alone, on the local chain. It only reads, unless the settings name a wallet. */
export async function startSigningServer(devnet: Devnet, options: ServerOptions = {}): Promise<SigningServer> {
  const { dataDir = mkdtempSync(join(tmpdir(), 'svc-siwe-')), policy = {}, env = {} } = options
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
  const setPolicy = (written: object) =>
    writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(written), { mode: 0o600 })
  setPolicy(policy)
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    SVC_SIWE_CHAIN: `${devnet.chainId}`,
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
    ...env,
  }
  const server = await openServer(readConfig(environment))
  const { url } = await server.listen()
  return {
    url,
    dataDir,
    environment,
    setPolicy,
    serveStdio: (streams) => server.serveStdio(streams),
    close: () => server.close(),
  }
}

type ServerOptions = {
  readonly dataDir?: string
  readonly policy?: object
  readonly env?: Readonly<Record<string, string>>
}

export type SigningServer = {
  readonly url: string
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string>>
  readonly setPolicy: (written: object) => void
  readonly serveStdio: Awaited<ReturnType<typeof openServer>>['serveStdio']
  readonly close: () => Promise<void>
}

export function newAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey())
}

/** What `signIn` of the wallet package takes, of a key in hand. */
export function walletOf(account: PrivateKeyAccount, address: Hex = account.address) {
  return {
    getAddress: async () => address,
    signMessage: (message: Parameters<PrivateKeyAccount['signMessage']>[0]['message']) =>
      account.signMessage({ message }),
  }
}

/** As an agent does, by the wallet package's own client. */
export function signInWith({ url }: Pick<SigningServer, 'url'>, account: PrivateKeyAccount, options?: SignInOptions) {
  return signIn(walletOf(account), url, options)
}

/** The challenge of a 401 answer. */
export async function challengeOf(url: string): Promise<Challenge> {
  const answer = await fetch(url)
  return ((await answer.json()) as { readonly challenge: Challenge }).challenge
}

/** The message that answers a challenge, with members in place of its own. */
export function messageOf(challenge: Challenge, account: PrivateKeyAccount, more: object = {}): string {
  const { domain, uri, chainId, nonce, statement, issuedAt, expirationTime } = challenge
  const times = { issuedAt: new Date(issuedAt), expirationTime: new Date(expirationTime) }
  const { address } = account
  return createSiweMessage({ address, domain, uri, chainId, nonce, statement, version: '1', ...times, ...more })
}

/** Posts a message with its signature, or another one, to where wallets sign in. */
export async function post(url: string, body: unknown): Promise<Posted> {
  const answer = await fetch(new URL('/auth/siwe', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Posted['body'] }
}

export type Posted = {
  readonly status: number
  readonly headers: Headers
  readonly body: Partial<SignInAnswer> & {
    readonly code?: string
    readonly message?: string
    readonly details?: unknown
  }
}

/** The same, signed by an account. */
export async function postSigned(url: string, account: PrivateKeyAccount, message: string): Promise<Posted> {
  return post(url, { message, signature: await account.signMessage({ message }) })
}

/** The status of a request to `/mcp` with a token. */
export async function statusWith(url: string, token: string): Promise<number> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Registers an agent for an account, with a role or with whatever bytes as one, and gives the id of its token. */
export async function register(devnet: Devnet, account: PrivateKeyAccount, role: string): Promise<string> {
  await devnet.fund(account.address, { ETH: '1' })
  const [chain, transport] = [null, http(devnet.rpcUrl)]
  const client = createPublicClient({ transport })
  const hash = await createWalletClient({ account, transport }).writeContract({
    chain,
    address: devnet.registry.identity,
    abi: registryAbi,
    functionName: 'register',
    args: ['data:,', [{ metadataKey: 'role', metadataValue: stringToHex(role) }]],
  })
  const { logs } = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  const [log] = parseEventLogs({ abi: registryAbi, eventName: 'Transfer', logs })
  if (log === undefined) throw new Error('Nothing was registered.')
  return `${log.args.tokenId}`
}

export const registryAbi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function transferFrom(address from, address to, uint256 tokenId)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
])
