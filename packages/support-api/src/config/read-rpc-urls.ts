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
  return { urls, problems: [...problems, ...shared(urls)] }
}

const prefix = 'SVC_RPC_URL_'

function malformed(setting: string): ConfigProblem {
  const message = 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.'
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}

/** An endpoint speaks for one chain. */
function shared(urls: ReadonlyMap<number, readonly string[]>): readonly ConfigProblem[] {
  const owners = new Map<string, number>()
  const problems: ConfigProblem[] = []
  for (const [id, endpoints] of urls) {
    const owner = endpoints.map((url) => owners.get(new URL(url).href)).find((other) => other !== undefined)
    for (const url of endpoints) owners.set(new URL(url).href, id)
    if (owner === undefined || owner === id) continue
    const setting = `${prefix}${id}`
    const message = `One of its endpoints stands in ${prefix}${owner} too, and is of one chain only.`
    problems.push({ code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting} or ${prefix}${owner}.` })
  }
  return problems
}
