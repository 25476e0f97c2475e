import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type SigningServer, startSigningServer } from '../auth/sign-in/signing-server.fixture.ts'
import { rawRequest } from '../raw-http.fixture.ts'

const devnet = useDevnet()
let server: SigningServer
afterEach(() => server.close())

describe('every place that the server serves', () => {
  it('is served to no other name and no other page, and tells none that it may read the answer', async () => {
    const env = { SVC_OAUTH_ISSUERS: 'http://127.0.0.1:9 ES256', SVC_ALLOWED_ORIGINS: 'https://app.example.com' }
    server = await startSigningServer(devnet(), { env })
    const port = Number(new URL(server.url).port)
    const wellKnown = ['jwks.json', 'oauth-protected-resource', 'oauth-protected-resource/mcp', 'agent-card.json']
    const places = ['/mcp', '/healthz', '/auth/siwe', ...wellKnown.map((name) => `/.well-known/${name}`)]
    const attacks = [
      { host: 'evil.example' },
      { host: '127.0.0.1.evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://app.example.com.evil.example' },
    ]
    for (const path of places) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        for (const headers of attacks) {
          const answer = await rawRequest(port, { method, path, headers })
          const allowed = answer.headers['access-control-allow-origin']
          expect({ path, method, headers, status: answer.status, allowed }).toMatchObject({
            status: 403,
            allowed: undefined,
          })
        }
      }
      const answer = await rawRequest(port, { method: 'GET', path, headers: { origin: 'https://app.example.com' } })
      expect(answer.status).not.toBe(403)
      expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.com')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
  })
})
