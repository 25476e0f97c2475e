import { isIP } from 'node:net'
import * as z from 'zod'
import type { KeyTier } from '@svc/engine'
import type { AgentRole } from '@svc/engine/policy'
import { isLoopback } from '@svc/runtime'
import { isRpcProvider, rpcProviders } from './rpc-providers.ts'
import { type Toolset, toolsetNames } from './toolsets.ts'
import type { OAuthIssuer } from './config-shape.ts'

/** An issuer, the algorithms of its tokens, and where its keys are unless its metadata says so, with spaces between them. */
function oauthIssuer() {
  return z
    .string()
    .transform(readIssuer)
    .refine((issuer) => issuer !== null, accepted)
}

const accepted = `Accepted: such as https://auth.example.com ES256, or https://auth.example.com ES256 RS256 https://auth.example.com/keys; several separated by commas`

/** Signatures with a key pair, and no other: a secret that both ends know is none of this. */
const algorithms: ReadonlySet<string> = new Set(['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'])

function readIssuer(text: string): OAuthIssuer | null {
  const [issuer = '', ...words] = text.split(/\s+/)
  const named = words.filter((word) => algorithms.has(word))
  const [keysUrl = null, ...more] = words.filter((word) => !algorithms.has(word))
  const isGood = isSafePlace(issuer) && (keysUrl === null || isSafePlace(keysUrl)) && more.length === 0
  return isGood && named.length > 0 ? { issuer, algorithms: named, keysUrl } : null
}

/** Over https, or on this machine; without user, password, query and fragment, which tokens do not spell. */
function isSafePlace(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isBare = `${username}${password}${search}${hash}` === '' && !/[?#]$/.test(text)
  return isBare && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
}

export const defaultSecretHeader = 'access-client-secret'

const text = z.string().min(1)
/** An http or https URL. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'Accepted: an http or https URL' })
/** One whose requests carry a token of their own, so that they have no room for a user and password. */
const plainUrl = httpUrl.refine(
  (url) => !URL.canParse(url) || `${new URL(url).username}${new URL(url).password}` === '',
  'Accepted: an http or https URL without user and password',
)
const profile = z.enum(['data', 'full', 'learning'], { error: 'Accepted: data, full, learning' })
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const address = z.string().refine(isAddressOrRange, 'Accepted: IP addresses or CIDR ranges separated by commas')
const origin = z.string().refine(isOrigin, 'Accepted: origins such as https://app.example.com separated by commas')
const listenAddress = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/, 'Accepted: host:port')

const issuerPlace = z
  .string()
  .refine(isSafePlace, 'Accepted: an https URL without query, or an http one on this machine')
/** Of a field that no other stage reads. */
const headerName = z
  .string()
  .regex(
    /^(?!authorization$|cookie$|host$)[A-Za-z][A-Za-z0-9-]{0,63}$/i,
    'Accepted: the name of a header field of its own',
  )
  .transform((name) => name.toLowerCase())

const toolset = z.custom<Toolset>(
  (name) => toolsetNames.some((one) => one === name),
  `Accepted: ${toolsetNames.join(', ')}, separated by commas`,
)

/** Those whose policies at the provider this server can compile. */
const roles = ['vault_participant', 'vault_manager', 'vault_creator'] as const satisfies readonly AgentRole[]

/** All that its algorithm and curve say stands at its beginning. */
const spkiOfP256 = /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$/

const watchSecondsAccepted = 'Accepted: whole seconds from 15 to 3600'

/** The form of every setting that is not one per chain. */
export const settingsSchema = z.object({
  WALLET_TYPE: z.enum(['managed', 'local']).optional(),
  WALLET_APP_ID: text.optional(),
  WALLET_APP_SECRET: text.optional(),
  WALLET_ID: text.optional(),
  WALLET_AUTH_PRIVATE_KEY: text.optional(),
  SVC_WALLET_API_URL: plainUrl.optional(),
  SVC_PROVISION_ROLE: z.enum(roles, { error: `Accepted: ${roles.join(', ')}` }).optional(),
  SVC_PROVISION_OWNER_KEY: z
    .string()
    .regex(spkiOfP256, 'Accepted: a public P-256 key, base64 of SPKI DER on one line')
    .optional(),
  SVC_PROVISION_CHAINS: list.default(['base']),
  PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'Accepted: 0x and 64 hex digits')
    .optional(),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  SVC_MCP_PROFILE: profile.optional(),
  SVC_MCP_TOOLSETS: list
    .pipe(z.array(toolset).min(1, `Accepted: ${toolsetNames.join(', ')}, separated by commas`))
    .optional(),
  SVC_MEMORY: z.enum(['own', 'shared'], { error: 'Accepted: own, shared' }).default('own'),
  SVC_WATCH_SECONDS: z
    .string()
    .regex(/^\d{2,4}$/, watchSecondsAccepted)
    .transform(Number)
    .refine((seconds) => seconds >= 15 && seconds <= 3_600, watchSecondsAccepted)
    .default(60),
  SVC_WEBHOOK_URL: plainUrl.optional(),
  SVC_WEBHOOK_SECRET: z
    .string()
    .refine(isWebhookSecret, 'Accepted: whsec_ and 24 to 64 random bytes in base64')
    .optional(),
  SVC_WEBHOOK_PRIVATE: z.enum(['refuse', 'allow'], { error: 'Accepted: refuse, allow' }).default('refuse'),
  SVC_WEBSOCKET: z.enum(['on', 'off'], { error: 'Accepted: on, off' }).default('off'),
  SVC_LISTEN: listenAddress.default('127.0.0.1:3000'),
  SVC_TRACES_URL: plainUrl.optional(),
  SVC_METRICS_LISTEN: listenAddress.optional(),
  SVC_METRICS_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9._~+/-]{32,}=*$/, 'Accepted: at least 32 characters of a bearer token')
    .optional(),
  SVC_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'Accepted: a postgres:// URL' }).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SVC_API_KEY_READ: apiKey('read'),
  SVC_API_KEY_FEEDBACK: apiKey('feedback'),
  SVC_API_KEY_WRITE: apiKey('write'),
  MCP_AUTH_TOKEN: text.optional(),
  SVC_TLS_CERT: text.optional(),
  SVC_TLS_KEY: text.optional(),
  SVC_TRUSTED_PROXIES: list.pipe(z.array(address)).default([]),
  SVC_CLIENT_ADDRESS_HEADER: headerName.optional(),
  SVC_ALLOWED_HOSTS: list
    .pipe(z.array(z.string().regex(/^[A-Za-z0-9.:[\]-]+$/, 'Accepted: host names without ports')))
    .default([]),
  SVC_ALLOWED_ORIGINS: list.pipe(z.array(origin)).default([]),
  SVC_PUBLIC_URL: z.string().refine(isPublicUrl, 'Accepted: such as https://mcp.example.com/mcp').optional(),
  SVC_OPERATOR_PAGE: z.enum(['on', 'off'], { error: 'Accepted: on, off' }).default('off'),
  SVC_SIWE_CHAIN: text.optional(),
  SVC_OAUTH_ISSUERS: list.pipe(z.array(oauthIssuer())).default([]),
  SVC_EDGE_ISSUER: issuerPlace.optional(),
  SVC_EDGE_KEYS_URL: issuerPlace.optional(),
  SVC_EDGE_AUDIENCE: list.pipe(z.array(text).min(1, 'Accepted: audiences separated by commas')).optional(),
  SVC_EDGE_TOKEN_HEADER: headerName.default('access-jwt-assertion'),
  SVC_EDGE_SECRET_HEADER: headerName.default(defaultSecretHeader),
  SVC_RPC_PROVIDER: z
    .string()
    .refine(
      (text) => /^https?:\/\/\S+$/.test(text) || isRpcProvider(text),
      `Accepted: an http or https URL template, or ${Object.keys(rpcProviders).join(', ')}`,
    )
    .optional(),
  RPC_API_KEY: text.optional(),
  SVC_TRADING_API_KEY: text.optional(),
  SVC_TRADING_API_URL: plainUrl.optional(),
  SVC_TRADING_API_DIALECT: z.enum(['v1', 'lp']).default('v1'),
  SVC_ORDER_API_KEY: text.optional(),
  SVC_ORDER_API_URL: plainUrl.optional(),
  SVC_MCP_SUBGRAPH_API_KEY: text.optional(),
  SVC_REWARDS_URL: httpUrl.default('https://api.merkl.xyz'),
  SVC_IPFS_MODE: z.enum(['proxy', 'pinata', 'inline']).default('proxy'),
  SVC_PINNING_JWT: text.optional(),
  SVC_AGENT_NAME: z.string().min(1).max(64).optional(),
  SVC_AGENT_ID: z
    .string()
    .regex(/^[1-9]\d{0,15}:(0|[1-9]\d{0,14})$/, 'Accepted: <chain id>:<token id>, such as 8453:42')
    .optional(),
  SVC_API_URL: plainUrl.optional(),
  SVC_GATEWAY_URL: httpUrl.optional(),
  SVC_IDENTITY_PROVIDER_URL: plainUrl.optional(),
})

export type Settings = z.output<typeof settingsSchema>

function apiKey(tier: KeyTier) {
  const pattern = new RegExp(`^svc_${tier}_[A-Za-z0-9_-]{43}$`)
  return z
    .string()
    .regex(pattern, `Accepted: svc_${tier}_ and 256 bits in base64url; leave it out to have one made`)
    .optional()
}

function isWebhookSecret(value: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
}

function isAddressOrRange(entry: string): boolean {
  const [ip = '', prefix, ...rest] = entry.split('/')
  const family = isIP(ip)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value
}

/**
 * Whether a text is where clients may reach `/mcp`: one spelling, over https but on this machine, and a host that sign-in messages can name
 * (EIP-4361 as the libraries of wallets read it): a name with a dot, localhost or an IPv4 address.
 */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, host, href } = new URL(text)
  const isNamed = hostname === 'localhost' || /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isNamed && isSafe && text === href && href === `${protocol}//${host}/mcp`
}
