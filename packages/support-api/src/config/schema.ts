import { isIP } from 'node:net'
import * as z from 'zod'
import type { ConfigProblem as Problem } from '@svc/runtime'

export { ConfigError } from '@svc/runtime'

const text = z.string().min(1)
/** An http or https URL without user and password. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'Accepted: an http or https URL', abort: true })
  .refine(
    (url) => `${new URL(url).username}${new URL(url).password}` === '',
    'Accepted: a URL without user and password',
  )
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const address = z
  .string()
  .refine(isAddressOrRange, {
    error: 'Accepted: IP addresses or CIDR ranges separated by commas',
    abort: true,
  })
  .refine(isNarrow, 'Accepted: ranges of /8 and narrower, for who is in one may name any client')
const hostName = z.string().regex(/^[A-Za-z0-9.:[\]-]+$/, 'Accepted: host names without ports')
const chainId = z.string().regex(/^[1-9]\d{0,15}$/, 'Accepted: chain ids separated by commas')

/** What an app id may look like at all: nothing that could change the path it is put into. */
export const appIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/

/** The form of every setting that is not one per chain. */
export const settingsSchema = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SVC_LISTEN: z
    .string()
    .regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/, { error: 'Accepted: host:port', abort: true })
    .refine((value) => Number(value.slice(value.lastIndexOf(':') + 1)) < 65_536, 'Accepted: a port up to 65535')
    .default('127.0.0.1:8080'),
  SVC_TLS_CERT: text.optional(),
  SVC_TLS_KEY: text.optional(),
  SVC_TRUSTED_PROXIES: list.pipe(z.array(address)).default([]),
  SVC_ALLOWED_HOSTS: list.pipe(z.array(hostName)).default([]),
  SVC_DATA_DIR: text.default('.svc'),
  SVC_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'Accepted: a postgres:// URL' }).optional(),
  SVC_CHAINS_FILE: text.optional(),
  SVC_IDENTITY_PROVIDER_URL: httpUrl.optional(),
  SVC_IDENTITY_PROVIDER_PATH: z
    .string()
    .regex(/^\/[^?#{}\s]*\{appId\}[^#{}\s]*$/, 'Accepted: a path with {appId} in it once')
    .default('/api/v1/apps/{appId}/config'),
  SVC_GATEWAY_URL: httpUrl.optional(),
  SVC_PIN_BACKEND: z.enum(['embedded', 'pinata', 'kubo', 'pinning-service']).default('embedded'),
  SVC_PIN_URL: httpUrl.optional(),
  SVC_PINNING_JWT: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'Accepted: a token without spaces')
    .optional(),
  SVC_PIN_PER_APP_HOUR: count(10),
  SVC_PIN_PER_NETWORK_HOUR: count(60),
  SVC_PIN_PER_DAY: count(10_000),
  SVC_FAUCET_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'Accepted: 0x and 64 hex digits', abort: true })
    .refine(isKeyOfCurve, 'Accepted: a key of secp256k1, which zero and numbers of its order and above are not')
    .optional(),
  SVC_FAUCET_CHAINS: list.pipe(z.array(chainId).min(1)).default(['11155111', '84532']),
  SVC_FAUCET_PER_APP_DAY: count(200),
  SVC_FAUCET_PER_NETWORK_DAY: count(10),
  SVC_FAUCET_PER_CHAIN_DAY: count(1_000),
  SVC_FAUCET_TARGET_CEILING: z
    .string()
    .regex(/^(0|[1-9]\d{0,9})(\.\d{1,18})?$/, 'Accepted: an amount such as 0.1, with at most 18 decimals')
    .optional(),
  SVC_PAGE_APP_ID: z.string().regex(appIdPattern, 'Accepted: the id of an app at the wallet provider').optional(),
})

export type Settings = z.output<typeof settingsSchema>

function count(fallback: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'Accepted: a whole number from 1 to 9999999')
    .default(String(fallback))
    .transform(Number)
}

function isAddressOrRange(entry: string): boolean {
  const [ip = '', prefix, ...rest] = entry.split('/')
  const family = isIP(ip)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

function isNarrow(range: string): boolean {
  const [, prefix] = range.split('/')
  return prefix === undefined || Number(prefix) >= 8
}

function isKeyOfCurve(key: string): boolean {
  return BigInt(key) > 0n && BigInt(key) < orderOfCurve
}

/** SEC 2, section 2.4.1. */
const orderOfCurve = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type ConfigProblem = Problem<ConfigCode>

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'SETTING_UNKNOWN'
  | 'SETTING_UNUSED'
  | 'CHAINS_FILE_INVALID'
  | 'PLAINTEXT_LISTEN'
  | 'PROXY_NOT_NAMED'
  | 'TLS_FILE_INVALID'
  | 'DATA_DIR_INVALID'
