import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { addressKind, ReachError } from '../reach/guarded-request.ts'
import { postWebhook, type WebhookPlace } from './webhooks.ts'

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const message = { headers: { 'webhook-id': '7' }, body: '{"said":"größer"}' }
const post = (place: WebhookPlace, signal = new AbortController().signal) => postWebhook(place, message, signal)

const refusalOf = (url: string, allowsPrivate: boolean) =>
  post({ url, allowsPrivate }).catch((error: unknown) => (error instanceof ReachError ? error.code : error))

describe('a webhook', () => {
  test('is posted as it stands, and answers with its status alone', async () => {
    const seen: unknown[] = []
    const port = await listen((request: IncomingMessage, response) => {
      const { method, url, headers } = request
      void text(request).then((body) =>
        seen.push([method, url, headers['content-type'], headers['webhook-id'], headers['host'], body]),
      )
      request.once('end', () => response.writeHead(202).end('x'.repeat(1_000_000)))
    })
    expect(await post({ url: `http://127.0.0.1:${port}/in?key=1`, allowsPrivate: true })).toBe(202)
    expect(seen).toEqual([['POST', '/in?key=1', 'application/json', '7', `127.0.0.1:${port}`, message.body]])
  })

  test('follows nothing', async () => {
    let isFollowed = false
    const inside = await listen((_request, response) => {
      isFollowed = true
      response.end()
    })
    const port = await listen((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inside}/` }).end()
    })
    expect(await post({ url: `http://127.0.0.1:${port}/`, allowsPrivate: true })).toBe(307)
    expect(isFollowed).toBe(false)
  })

  test('goes nowhere private unless that is allowed, however it is written, and is not even connected', async () => {
    let requests = 0
    const port = await listen((_request, response) => {
      requests += 1
      response.end()
    })
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      '10.0.0.1',
      '[fd00::1]',
    ]
    for (const host of hosts)
      expect([host, await refusalOf(`http://${host}:${port}/`, false)]).toEqual([host, 'ADDRESS_REFUSED'])
    // Where clouds keep the keys of a machine, under any setting.
    for (const host of [
      '169.254.169.254',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[fd00:42::42]',
      '[fd20:ce::254]',
      '100.100.100.200',
      '[::ffff:0:7f00:1]',
      '0.0.0.0',
      '[::]',
      '[64:ff9b::7f00:1]',
      '[::ffff:169.254.169.254]',
    ])
      expect([host, await refusalOf(`http://${host}:${port}/`, true)]).toEqual([host, 'ADDRESS_REFUSED'])
    expect(requests).toBe(0)
  })

  test('looks at every address that a name stands for, and connects to what it looked at', async () => {
    let requests = 0
    const port = await listen((_request, response) => {
      requests += 1
      response.end()
    })
    const lookups: string[] = []
    const standingFor = (...addresses: readonly string[]): NonNullable<WebhookPlace['resolve']> => {
      return (host, _options, done) => {
        lookups.push(host)
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      }
    }
    const url = `http://hooks.example:${port}/`
    const refused = { code: 'ADDRESS_REFUSED' }
    const both = { url, allowsPrivate: false, resolve: standingFor('93.184.216.34', '127.0.0.1') }
    await expect(post(both)).rejects.toMatchObject(refused)
    await expect(post({ url, allowsPrivate: false, resolve: standingFor('127.0.0.1') })).rejects.toMatchObject(refused)
    // Plain http to the world would show what is said, and to whom.
    await expect(post({ url, allowsPrivate: true, resolve: standingFor('93.184.216.34') })).rejects.toMatchObject(
      refused,
    )
    await expect(post({ url, allowsPrivate: true, resolve: standingFor() })).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
    expect(requests).toBe(0)
    lookups.length = 0
    expect(await post({ url, allowsPrivate: true, resolve: standingFor('127.0.0.1') })).toBe(200)
    // Once for each post: an answer that is another the next time is looked at again, and none between the look and the connection.
    expect([requests, lookups]).toEqual([1, ['hooks.example']])
  })

  test('is given up after its time, and when the server closes', async () => {
    const port = await listen(() => {})
    const url = `http://127.0.0.1:${port}/`
    await expect(post({ url, allowsPrivate: true, timeoutMs: 50 })).rejects.toMatchObject({ code: 'UNREACHABLE' })
    const closing = new AbortController()
    const under = post({ url, allowsPrivate: true }, closing.signal)
    closing.abort()
    await expect(under).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test.each([
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'],
    ['words that are no HTTP', 'SSH-2.0-other\r\n'],
    ['the end of the connection', ''],
  ])('that answers with %s is over at once, and does not hold what waits for it', async (_what, answer) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => (answer === '' ? socket.end() : socket.write(answer)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push(() => void server.close())
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    await expect(post({ url, allowsPrivate: true })).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('knows addresses of the world from others', () => {
    const kinds = (...addresses: readonly string[]) => [...new Set(addresses.map(addressKind))]
    expect(kinds('1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1')).toEqual([
      'public',
    ])
    expect(
      kinds(
        '10.1.2.3',
        '172.31.255.255',
        '192.168.0.1',
        '100.64.0.1',
        '127.9.9.9',
        '::1',
        'fdab::1',
        '::ffff:10.0.0.1',
      ),
    ).toEqual(['private'])
    expect(
      kinds('169.254.0.1', '0.1.2.3', '224.0.0.1', '255.255.255.255', '192.0.2.1', 'ff02::1', '2002:7f00:1::', 'x'),
    ).toEqual(['never'])
  })
})
