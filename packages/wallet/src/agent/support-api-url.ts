import { isPlainUrl, plainUrl } from '../service-urls.ts'
import { WalletError } from '../wallet-error.ts'

/**
 * Where the support API is: the options' URL, or else `SVC_API_URL`; `undefined` where neither is set. Throws
 * `VALIDATION_CONFIG_INVALID`, also for one with a user and password, whose header the pin proxy needs for the app.
 */
export function supportApiUrl(
  apiUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = apiUrl ?? (env['SVC_API_URL'] || undefined)
  if (url === undefined || isPlainUrl(url)) return url
  const name = apiUrl === undefined ? 'SVC_API_URL' : 'apiUrl'
  throw new WalletError('VALIDATION_CONFIG_INVALID', `${name} is not valid; accepted: ${plainUrl}.`)
}
