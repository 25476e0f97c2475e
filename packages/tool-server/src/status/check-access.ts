import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isLoopback } from '@svc/runtime'
import { apiKeySetting, keyTiers } from '../auth/credentials.ts'
import type { Config } from '../config/config-shape.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, setCommand, warned } from './check-settings.ts'

/** Who may call, over which wire, and whether the rules of production hold. `now` in Unix milliseconds. */
export function checkAccess(config: Config, place: string, now: () => number): readonly SetupCheck[] {
  return [checkMode(config, place), checkKeys(config), checkTls(config, place, now), checkOrigins(config)]
}

/** Together with the rules of the settings: where production holds, no raw key is there. */
function checkMode({ production, wallet, profile }: Config, place: string): SetupCheck {
  const id = 'production'
  if (production) return passed(id, 'NODE_ENV is production, and no raw private key is there.')
  if (wallet?.type !== 'managed' || profile === 'data')
    return passed(id, 'Development: the rules of production do not hold.')
  const message = 'The wallet is a managed one, and the rules of production do not hold.'
  return warned(id, message, `Run: ${setCommand('NODE_ENV', 'production', place)}`)
}

/** Their forms are checked where settings are read. */
function checkKeys({ auth }: Config): SetupCheck {
  const id = 'api-keys'
  const missing = keyTiers.filter((tier) => auth.apiKeys[tier] === null).map(apiKeySetting)
  if (missing.length === 0) return passed(id, 'There is an API key of each tier.')
  return passed(id, `The first start over HTTP makes ${missing.join(', ')}.`)
}

function checkTls({ tls, listen, trustedProxies }: Config, place: string, now: () => number): SetupCheck {
  const id = 'tls'
  if (tls === null) {
    const through = trustedProxies.length > 0 ? 'The proxies of SVC_TRUSTED_PROXIES end TLS.' : null
    return passed(id, through ?? `Without TLS, so on this machine alone (${listen.host}).`)
  }
  const openKey = modeOf(tls.keyPath)
  if (openKey !== null && (openKey & 0o077) !== 0)
    return failed(id, 'Others than its owner can read SVC_TLS_KEY.', `Run: chmod 600 ${tls.keyPath}`)
  const lastsMs = lastsUntil(tls.certPath)
  const fix = `Have the certificate renewed, then restart. Run: openssl x509 -noout -enddate -in ${tls.certPath}`
  if (openKey === null || lastsMs === null) {
    const [setting, path] = openKey === null ? ['SVC_TLS_KEY', tls.keyPath] : ['SVC_TLS_CERT', tls.certPath]
    return failed(id, `${setting} cannot be read.`, `Run: ls -l ${path}, and ${setCommand(setting, 'PATH', place)}`)
  }
  const days = Math.floor((lastsMs - now()) / 86_400_000)
  if (days < 0) return failed(id, 'The certificate of SVC_TLS_CERT has expired.', fix)
  if (days < 14) return warned(id, `The certificate of SVC_TLS_CERT lasts ${days} days.`, fix)
  return passed(id, `TLS 1.3; the certificate lasts ${days} days.`)
}

function modeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null
}

/** Unix milliseconds; `null` where there is no certificate to read. */
function lastsUntil(path: string): number | null {
  try {
    return Date.parse(new X509Certificate(readFileSync(path)).validTo)
  } catch {
    return null
  }
}

/** Pages of a plain http origin can be changed on their way, and with them what they call. */
function checkOrigins({ allowedOrigins, production }: Config): SetupCheck {
  const id = 'origins'
  if (allowedOrigins.length === 0) return passed(id, 'No page of another origin may call.')
  const plain = allowedOrigins.filter((origin) => origin.startsWith('http://') && !isLoopback(new URL(origin).hostname))
  if (plain.length === 0 || !production) return passed(id, `Pages of ${allowedOrigins.join(', ')} may call.`)
  const fix = 'Serve them over https, and name that in SVC_ALLOWED_ORIGINS.'
  return warned(id, `Pages of ${plain.join(', ')} come over plain http, where anybody on the way can change them.`, fix)
}
