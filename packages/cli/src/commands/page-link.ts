import type { Config } from '@svc/tool-server'
import { makePageLink } from '@svc/tool-server/operator-page'
import { ownDataDirectory } from '../own-data-directory.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `svc status --page`: prints a link that opens the operator page of the server on this machine, once. Throws where there is no such page by the
 * settings, as the server reads them. Resolves to exit code 0.
 */
export async function printPageLink(
  config: Config,
  flags: { readonly json: boolean; readonly positions: boolean; readonly wallet?: string | undefined },
): Promise<number> {
  if (flags.positions || flags.wallet !== undefined)
    throw new UsageError('svc status --page prints a link and nothing else: leave --positions and --wallet out')
  const { dataDir, publicUrl, operatorPage, listen, tls } = config
  if (!operatorPage) throw new Error('These settings have no operator page. Set SVC_OPERATOR_PAGE=on for the server.')
  if (publicUrl?.startsWith('https:') === true)
    throw new Error(`The page is at ${new URL('/operator', publicUrl).href}, where a passkey opens it and no link.`)
  if (listen.port === 0)
    throw new Error(
      'SVC_LISTEN leaves the port to the system. Name it here: SVC_LISTEN=127.0.0.1:PORT svc status --page',
    )
  await ownDataDirectory(dataDir, {})
  const { token, endsAt } = await makePageLink(dataDir, Date.now())
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const url = `${tls === null ? 'http' : 'https'}://${host}:${listen.port}/operator?token=${token}`
  const expiresAt = new Date(endsAt).toISOString()
  const text = `Open this once, in a browser of this machine, before ${expiresAt}.\n\n  ${url}\n`
  process.stdout.write(flags.json ? `${JSON.stringify({ url, expiresAt })}\n` : text)
  return 0
}
