import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createEndpointProbe } from './guarded-request.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(status: number) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  closers.push(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}

const { signal } = new AbortController()
/** As for an operator's own address. */
const probe = (now = () => 0) => createEndpointProbe({ now, allowsPrivate: true })

describe('an endpoint', () => {
  test.each([
    [200, true],
    [307, true],
    [401, true],
    [405, true],
    [404, false],
    [410, false],
    [500, false],
    [503, false],
  ])('that answers %i is live: %s, and is followed nowhere', async (status, isLive) => {
    const { asked, url } = await serve(status)
    expect(await probe()(url, signal)).toBe(isLive)
    expect(asked).toEqual(['GET /mcp'])
  })

  test('that nobody serves is not live', async () => {
    expect(await probe()('http://127.0.0.1:9/mcp', signal)).toBe(false)
  })

  test('is asked again after a minute, and its host six times in one', async () => {
    const { asked, url } = await serve(200)
    let now = 0
    const isLive = probe(() => now)
    for (let time = 0; time < 3; time += 1) expect(await isLive(url, signal)).toBe(true)
    expect(asked).toHaveLength(1)
    now = 60_000
    await isLive(url, signal)
    expect(asked).toHaveLength(2)
    const others = await Promise.all(Array.from({ length: 9 }, (_, index) => isLive(`${url}/${index}`, signal)))
    expect(others.filter((one) => one === null)).toHaveLength(4)
    expect(asked).toHaveLength(7)
  })

  test('of whom a caller heard nothing, since it had left, is asked again', async () => {
    const { asked, url } = await serve(200)
    const isLive = probe()
    expect(await isLive(url, AbortSignal.abort())).toBe(false)
    expect(await isLive(url, signal)).toBe(true)
    expect(asked).toHaveLength(1)
  })
})

test.each([
  'http://93.184.216.34/mcp',
  'https://93.184.216.34:8443/mcp',
  'https://user:pass@93.184.216.34/mcp',
  'https://127.0.0.1/mcp',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:10.0.0.1]/mcp',
  'https://2130706433/',
  'ftp://93.184.216.34/',
  'file:///etc/passwd',
  'not an address',
])('of strangers %s is never asked', async (url) => {
  expect(await createEndpointProbe({ now: () => 0 })(url, signal)).toBe(null)
})

test('a name that stands for a private address is not asked, whatever else it stands for', async () => {
  const isLive = createEndpointProbe({
    now: () => 0,
    resolve: (_host, _options, done) =>
      done(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
  })
  expect(await isLive('https://agent.example/mcp', signal)).toBe(null)
})
