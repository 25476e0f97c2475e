import { isIP } from 'node:net'
import { isLoopback } from '@svc/runtime'
import type { Config, ConfigProblem } from './config-shape.ts'

/**
 * Where the operator page may be served: on this machine alone, or over https at a name, for which passkeys are made; and where there is
 * something to operate.
 */
export function operatorRules(config: Config): readonly ConfigProblem[] {
  const { operatorPage, wallet, profile, publicUrl, listen, tls, trustedProxies } = config
  if (!operatorPage) return []
  if (wallet === null || profile === 'data') {
    return [
      problem('A server that only reads has nothing to operate.', 'Configure a wallet, or set SVC_OPERATOR_PAGE=off.'),
    ]
  }
  if (publicUrl?.startsWith('https:') === true) {
    const { hostname } = new URL(publicUrl)
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
      return [
        problem('Passkeys are made for a name, and SVC_PUBLIC_URL has an address.', 'Give SVC_PUBLIC_URL a name.'),
      ]
    if (tls !== null || trustedProxies.length > 0) return []
    const fix = 'Set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.'
    return [problem('Something that it does not know ends TLS in front of it.', fix)]
  }
  if (isLoopback(listen.host) && trustedProxies.length === 0) return []
  const fix = 'Set SVC_PUBLIC_URL to where operators reach it over https, or listen on 127.0.0.1 without proxies.'
  return [problem('Beyond this machine the operator page needs a public address over https.', fix)]
}

function problem(message: string, fix: string): ConfigProblem {
  return { code: 'SETTING_INVALID', setting: 'SVC_OPERATOR_PAGE', message, fix }
}
