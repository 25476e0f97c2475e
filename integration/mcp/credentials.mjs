// Every kind of credential that a client over HTTP may come with, each as it is had: the keys of the server, the sign-in of a wallet, a token of a
// real authorization server, and what an access edge puts into its header.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { startAuthorizationServer } from '@svc/devnet/authorization-server'
import { signIn } from '@svc/wallet'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEdge } from './start-edge.mjs'

/** Starts what issues them; `settings` have a server take them all. */
export async function openIssuers() {
  const closers = []
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one()
  }
  try {
    const devnet = await startDevnet({ history: false })
    closers.push(() => devnet.stop())
    const authorization = await startAuthorizationServer({ scopes: reading, tokenSeconds: 900 })
    closers.push(() => authorization.stop())
    const edge = await startEdge()
    closers.push(() => edge.stop())
    const directory = await mkdtemp(join(tmpdir(), 'svc-issuers-'))
    closers.push(() => rm(directory, { recursive: true }))
    const chainsFile = join(directory, 'chains.json')
    await writeFile(chainsFile, JSON.stringify([devnet.chain]), { mode: 0o600 })
    const staticToken = randomBytes(32).toString('base64url')
    const settings = {
      MCP_AUTH_TOKEN: staticToken,
      SVC_CHAINS_FILE: chainsFile,
      [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
      SVC_SIWE_CHAIN: `${devnet.chainId}`,
      SVC_OAUTH_ISSUERS: `${authorization.issuer} ES256`,
      ...edge.settings,
    }
    const issuers = { staticToken, authorization, edge }
    return { settings, headersOf: async (kind, place) => credentials[kind]({ ...issuers, ...place }), close }
  } catch (error) {
    await close()
    throw error
  }
}

const reading = ['read:market', 'read:portfolio']

/** By kind, the header fields that a request to the server at a URL then has. */
const credentials = {
  'an API key': ({ key }) => bearer(key),
  'the static token': ({ staticToken }) => bearer(staticToken),
  'a wallet that signed in': async ({ url }) => bearer(await walletToken(url)),
  'an OAuth token': async ({ url, authorization }) => bearer(await machineToken(authorization, url)),
  'an edge token': ({ edge }) => edge.headersFor('a-service.access'),
}

export const kinds = Object.keys(credentials)

export const bearer = (token) => ({ authorization: `Bearer ${token}` })

/** Of a wallet that nobody knows. */
export async function walletToken(url) {
  const account = privateKeyToAccount(generatePrivateKey())
  const wallet = {
    getAddress: async () => account.address,
    signMessage: (message) => account.signMessage({ message }),
  }
  return (await signIn(wallet, url)).token
}

/** Of a machine (`client_credentials`), for this resource alone. */
export async function machineToken({ tokenUrl, machine }, resource) {
  const authorization = `Basic ${Buffer.from(`${machine.clientId}:${machine.clientSecret}`).toString('base64')}`
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource, scope: reading.join(' ') })
  const answer = await fetch(tokenUrl, { method: 'POST', headers: { authorization }, body })
  const { access_token: token } = await answer.json()
  if (token === undefined) throw new Error(`The authorization server answers ${answer.status} and no token.`)
  return token
}
