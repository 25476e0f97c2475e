import type { ConfigProblem } from './config-error.ts'
import { httpUrl } from './schema.ts'

/** Reads the endpoints named per chain; what is malformed becomes a problem. */
export function readRpcUrls(env: Readonly<Record<string, string | undefined>>): {
  readonly urls: ReadonlyMap<number, readonly string[]>
  readonly problems: readonly ConfigProblem[]
} {
  const urls = new Map<number, readonly string[]>()
  const problems: ConfigProblem[] = []
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith(prefix)) continue
    const id = name.slice(prefix.length)
    const endpoints = value.split(',').map((url) => url.trim())
    const isGood = /^[1-9]\d{0,15}$/.test(id) && endpoints.every((url) => httpUrl.safeParse(url).success)
    if (isGood) urls.set(Number(id), endpoints)
    else problems.push(malformed(name))
  }
  return { urls, problems }
}

const prefix = 'SVC_RPC_URL_'

function malformed(setting: string): ConfigProblem {
  const message = 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.'
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}
