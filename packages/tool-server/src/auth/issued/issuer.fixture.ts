import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** An issuer on this machine: it publishes its keys, which the test may change, and counts how often each path was asked for. */
export async function startIssuer(algorithm: 'ES256' | 'RS256' = 'ES256'): Promise<TestIssuer> {
  const keys = new Map<string, IssuerKey>()
  const asked: string[] = []
  const answers = new Map<string, () => Answer>()
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')?.() ?? { status: 404, body: '{}' }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const publish = () => ({ status: 200, body: JSON.stringify({ keys: [...keys.values()].map(({ jwk }) => jwk) }) })
  answers.set('/keys', publish)
  answers.set('/.well-known/oauth-authorization-server', () => ({
    status: 200,
    body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }),
  }))
  const issuer: TestIssuer = {
    url,
    keysUrl: `${url}/keys`,
    keys,
    asked,
    answers,
    async makeKey(kid) {
      const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
      const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
      keys.set(kid, { privateKey, jwk })
    },
    sign(claims, { kid = 'k1', by, ...header } = {}) {
      const key = by ?? keys.get(kid)?.privateKey
      if (key === undefined) throw new Error('There is no such key.')
      return new SignJWT(claims as Record<string, unknown>)
        .setProtectedHeader({ alg: algorithm, kid, ...header })
        .sign(key)
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await issuer.makeKey('k1')
  return issuer
}

export type TestIssuer = {
  readonly url: string
  readonly keysUrl: string
  /** Those it publishes, by id. */
  readonly keys: Map<string, IssuerKey>
  /** The path of every request that came. */
  readonly asked: string[]
  /** What stands at a path. */
  readonly answers: Map<string, () => Answer>
  makeKey(kid: string): Promise<void>
  /** Signs claims as they stand; members of the header in place of its own, `undefined` for none. */
  sign(claims: object, header?: Header): Promise<string>
  close(): Promise<void>
}

export type Header = { readonly kid?: string; readonly by?: CryptoKey | Uint8Array; readonly [member: string]: unknown }

type IssuerKey = { readonly privateKey: CryptoKey; readonly jwk: JWK }

type Answer = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }

/** A header and claims as they stand in a token, by whatever it is signed. */
export function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
