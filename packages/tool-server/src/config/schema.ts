import { isIP } from 'node:net'
import * as z from 'zod'
import type { KeyTier } from '@svc/engine'

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

/** The form of every setting that is not one per chain. */
export const settingsSchema = z.object({
  WALLET_TYPE: z.enum(['managed', 'local']).optional(),
  WALLET_APP_ID: text.optional(),
  WALLET_APP_SECRET: text.optional(),
  WALLET_ID: text.optional(),
  WALLET_AUTH_PRIVATE_KEY: text.optional(),
  SVC_WALLET_API_URL: plainUrl.optional(),
  PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'Accepted: 0x and 64 hex digits')
    .optional(),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  SVC_MCP_PROFILE: profile.optional(),
  SVC_MEMORY: z.enum(['own', 'shared'], { error: 'Accepted: own, shared' }).default('own'),
  SVC_LISTEN: listenAddress.default('127.0.0.1:3000'),
  SVC_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'Accepted: a postgres:// URL' }).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SVC_API_KEY_READ: apiKey('read'),
  SVC_API_KEY_FEEDBACK: apiKey('feedback'),
  SVC_API_KEY_WRITE: apiKey('write'),
  MCP_AUTH_TOKEN: text.optional(),
  SVC_TLS_CERT: text.optional(),
  SVC_TLS_KEY: text.optional(),
  SVC_TRUSTED_PROXIES: list.pipe(z.array(address)).default([]),
  SVC_ALLOWED_HOSTS: list
    .pipe(z.array(z.string().regex(/^[A-Za-z0-9.:[\]-]+$/, 'Accepted: host names without ports')))
    .default([]),
  SVC_ALLOWED_ORIGINS: list.pipe(z.array(origin)).default([]),
  SVC_RPC_PROVIDER: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'Accepted: an http or https URL template')
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

function isAddressOrRange(entry: string): boolean {
  const [ip = '', prefix, ...rest] = entry.split('/')
  const family = isIP(ip)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value
}
