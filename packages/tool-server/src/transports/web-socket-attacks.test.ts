import { afterEach, describe, expect, it, vi } from 'vitest'
import { callOf, rawBytes, rawExchange } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { answers, openSocket } from './web-socket.fixture.ts'

let open: TestServer
afterEach(() => open.server.close())

const on = (options: Parameters<typeof openTestServer>[0] = {}) =>
  openTestServer({ ...options, env: { SVC_WEBSOCKET: 'on', ...options.env } })

describe('an upgrade', () => {
  it('with two credentials, hosts or origins, whichever comes first', async () => {
    open = await on({ env: { SVC_ALLOWED_ORIGINS: 'https://app.example.com' } })
    const { read, write } = open.keys
    const upgrade = (more: readonly (readonly [string, string])[]) => {
      const named = (name: string) => more.some(([other]) => other === name)
      const fields = [
        ...(named('host') ? [] : [['host', 'localhost'] as const]),
        ...(named('authorization') ? [] : [['authorization', `Bearer ${read}`] as const]),
        ...more,
        ['upgrade', 'websocket'] as const,
        ['sec-websocket-version', '13'] as const,
        ['sec-websocket-key', 'AAAAAAAAAAAAAAAAAAAAAA=='] as const,
        ['sec-websocket-protocol', 'mcp'] as const,
      ]
      const bytes = rawBytes('GET /mcp', fields).replace('connection: close', 'connection: Upgrade')
      return rawExchange(open.port, bytes)
    }
    const pairs = [
      ['authorization', `Bearer ${read}`, `Bearer ${write}`, 401],
      ['host', 'localhost', 'evil.example', 403],
      ['origin', 'https://app.example.com', 'https://evil.example', 403],
    ] as const
    for (const [name, one, other, status] of pairs) {
      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        expect([
          name,
          (
            await upgrade([
              [name, first],
              [name, second],
            ])
          ).status,
        ]).toEqual([name, status])
      }
    }
  })
})

describe('a connection', () => {
  it('ends for a client that pings and reads no answers, whose pings count against its budget', async () => {
    open = await on({ limits: { perAddressPerMinute: 1_000_000, perPrincipalPerMinute: 1_000_000 } })
    const { socket, closed } = await openSocket(open.port, open.keys.read)
    const pongs = vi.fn<() => void>()
    socket.on('pong', pongs)
    socket.ping('are you there?')
    await vi.waitFor(() => expect(pongs).toHaveBeenCalledOnce())
    socket.pause()
    const pinging = setInterval(() => {
      for (let more = 0; more < 2_000 && socket.readyState === socket.OPEN; more += 1) socket.ping('x'.repeat(125))
    }, 1)
    try {
      await vi.waitFor(() => expect(socket.readyState).not.toBe(socket.OPEN), { timeout: 60_000, interval: 20 })
    } finally {
      clearInterval(pinging)
      socket.resume()
    }
    await closed
    await open.server.close()
    open = await on({ limits: { perPrincipalPerMinute: 5 }, now: () => 0 })
    const budgeted = await openSocket(open.port, open.keys.read)
    const paid = vi.fn<() => void>()
    budgeted.socket.on('pong', paid)
    // The upgrade is one of the five.
    for (let more = 0; more < 7; more += 1) budgeted.socket.ping()
    budgeted.socket.send(callOf('get_echo', { text: 'a' }, 1))
    expect(await budgeted.until(answers(1))).toMatchObject({ error: { data: { code: 'RATE_LIMITED' } } })
    expect(paid).toHaveBeenCalledTimes(4)
    budgeted.socket.close()
  })
})
