import { WalletError } from '../wallet-error.ts'

/**
 * Where bundler and paymaster of a chain are: the options' URLs, or else `SVC_BUNDLER_URL_<chainId>` and
 * `SVC_PAYMASTER_URL_<chainId>`. `null` where none is named. Throws `VALIDATION_CONFIG_INVALID` for what is no http URL.
 */
export function sponsorUrls(
  chainId: number,
  options: { readonly bundlerUrl?: string | undefined; readonly paymasterUrl?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): SponsorUrls {
  const bundlerName = `SVC_BUNDLER_URL_${chainId}`
  const paymasterName = `SVC_PAYMASTER_URL_${chainId}`
  return {
    bundlerUrl: options.bundlerUrl ? checked('bundlerUrl', options.bundlerUrl) : checked(bundlerName, env[bundlerName]),
    paymasterUrl: options.paymasterUrl
      ? checked('paymasterUrl', options.paymasterUrl)
      : checked(paymasterName, env[paymasterName]),
  }
}

export type SponsorUrls = { readonly bundlerUrl: string | null; readonly paymasterUrl: string | null }

function checked(name: string, url: string | undefined): string | null {
  if (url === undefined || url === '') return null
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  // The URL may hold a key, so it is not quoted.
  throw new WalletError('VALIDATION_CONFIG_INVALID', `${name} is not valid; accepted: a URL with http or https.`)
}
