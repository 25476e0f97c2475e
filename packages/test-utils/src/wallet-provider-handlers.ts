import { http, HttpResponse } from 'msw'
import { handlerSet, type HandlerSet } from './handler-set.ts'
import { createProvider, type WalletProvider, type WalletProviderOptions } from './wallet-provider/provider.ts'

/**
 * The managed wallet's provider of {@link createWalletProviderServer} without a port: the same checks, policies and keys.
 * A `ServiceWallet` in managed mode reaches it at `apiUrl`, the provider's public one without.
 */
export function walletProviderHandlers(options: WalletProviderHandlersOptions = {}): WalletProviderHandlers {
  const { apiUrl = 'https://api.privy.io', ...rest } = options
  const { answer, controls } = createProvider(rest)
  const base = apiUrl.replace(/\/+$/, '')
  const handlers = [`${base}/v1/*`, `${base}/api/v1/apps/*`].map((path) =>
    http.all(path, async ({ request }) => {
      const { method, url, headers } = request
      const reply = await answer({ method, url, headers: Object.fromEntries(headers), body: await request.text() })
      return reply === 'drop' ? HttpResponse.error() : new HttpResponse(reply.body, reply)
    }),
  )
  return handlerSet(handlers, { ...controls, apiUrl: base })
}

/** The handlers of {@link walletProviderHandlers}. */
export type WalletProviderHandlers = HandlerSet<WalletProvider & { readonly apiUrl: string }>

/** Of {@link walletProviderHandlers}. */
export type WalletProviderHandlersOptions = WalletProviderOptions & { readonly apiUrl?: string }
