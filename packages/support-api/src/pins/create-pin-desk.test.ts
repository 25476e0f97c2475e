import { openStore, type Store } from '@svc/store'
import { canonicalBytes, contentAddress, pinata, registrationFile, Secret, type PinService } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useEngines } from '../../../store/src/engines.fixture.ts'
import { createMetrics } from '../observability/create-metrics.ts'
import type { Log } from '@svc/runtime'
import { testCard } from '../test-api.fixture.ts'
import { createPinDesk, embedded, kubo, pinningService } from './create-pin-desk.ts'
import { startPinService, type PinFault, type PinServiceKind, type TestPinService } from './pin-services.fixture.ts'

const silent: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  flush() {},
  writesDebug: false,
  writesInfo: false,
}
const file = new TextDecoder().decode(canonicalBytes(registrationFile(testCard())))
const cid = contentAddress(new TextEncoder().encode(file))

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  let place: Awaited<ReturnType<typeof newPlace>>
  let store: Store
  let service: TestPinService
  beforeEach(async () => {
    place = await newPlace()
    store = await openStore({ ...place.place, now: () => 0 })
  })
  afterEach(async () => {
    await store.close()
    await place.remove()
    await service.stop()
  })

  const backend = (kind: PinServiceKind): PinService => {
    const token = new Secret('token-1')
    if (kind === 'pinata') return pinata(service.url, token)
    if (kind === 'kubo') return kubo(service.url)
    const { url } = service
    return pinningService({ url, token, gatewayUrl: 'https://gateway.example', keep: embedded(store.pins) })
  }
  const desk = (
    service: PinService,
    timeoutMs = 30_000,
    limits = { perAppPerHour: 2, perNetworkPerHour: 100, perDay: 1_000 },
  ) =>
    createPinDesk({
      store,
      service,
      limits,
      fetch,
      metrics: createMetrics(),
      log: silent,
      timeoutMs,
    })
  const order = (name = 'Ada') => ({ card: testCard(name), appId: 'app-one', network: '203.0.113.0/24' })

  it.each<[PinServiceKind, string, string, unknown]>([
    ['pinata', 'POST /v3/files', 'Bearer token-1', file],
    ['kubo', 'POST /api/v0/add?cid-version=1&raw-leaves=true&pin=true&quieter=true', '', file],
    [
      'pinning-service',
      'POST /pins',
      'Bearer token-1',
      JSON.stringify({ cid, name: 'Ada.json', origins: ['/dns/gateway.example/tcp/443/tls/http'] }),
    ],
  ])('%s gets the exact bytes once', async (kind, path, authorization, body) => {
    service = await startPinService(kind)
    const pins = desk(backend(kind))
    expect((await pins.pin(order())).cid).toBe(cid)
    expect((await pins.pin(order())).cid).toBe(cid)
    expect(service.seen()).toEqual([{ path, authorization, body }])
    expect(await store.pins.content(cid)).toBe(kind === 'pinning-service' ? file : null)
  })

  it.each<PinServiceKind>(['pinata', 'kubo', 'pinning-service'])('%s is not believed another address', async (kind) => {
    service = await startPinService(kind)
    service.lie()
    const pins = desk(backend(kind))
    await expect(pins.pin(order())).rejects.toMatchObject({ code: 'PIN_CID_MISMATCH' })
    expect(await store.pins.has('app-one', cid)).toBe(false)
    service.setFault(null)
    expect(await pins.pin(order())).toMatchObject({ cid, headers: { ratelimit: '"app";r=1' } })
  })

  it.each<[string, PinFault]>([
    ['refuses', (response) => response.writeHead(429, { 'retry-after': '60' }).end('{}')],
    ['breaks', (response) => response.writeHead(500).end('canary')],
    ['says nothing', (response) => response.end('{}')],
    ['speaks no JSON', (response) => response.end('<html>')],
    ['answers too much', (response) => response.end(' '.repeat(100_000))],
    ['never ends its answer', (response) => response.write('{"data":')],
    ['sends elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['hangs up', (response) => response.destroy()],
  ])('a service that %s costs the app nothing', async (what, fault) => {
    service = await startPinService('pinata')
    service.setFault(fault)
    const pins = desk(backend('pinata'), what === 'never ends its answer' ? 1_000 : 30_000)
    const failed = await pins.pin(order()).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 10 })
    expect(JSON.stringify(failed)).not.toContain('canary')
    service.setFault(null)
    const well = desk(backend('pinata'))
    expect((await well.pin(order())).headers['ratelimit']).toBe('"app";r=1')
    expect((await well.pin(order('Bob'))).headers['ratelimit']).toBe('"app";r=0')
    await expect(well.pin(order('Cy'))).rejects.toMatchObject({ code: 'PIN_RATE_LIMITED' })
  })

  it('what fails is given back to the range of addresses it came from, and to all', async () => {
    service = await startPinService('pinata')
    service.setFault((response) => response.writeHead(500).end())
    const limits = { perAppPerHour: 9, perNetworkPerHour: 2, perDay: 3 }
    const pins = desk(backend('pinata'), 30_000, limits)
    for (const name of ['A', 'B', 'C']) {
      await expect(pins.pin(order(name))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    }
    service.setFault(null)
    for (const name of ['A', 'B']) await pins.pin(order(name))
    await expect(pins.pin(order('C'))).rejects.toMatchObject({ message: expect.stringContaining('range of addresses') })
    await pins.pin({ ...order('C'), network: '198.51.100.0/24' })
    const full = pins.pin({ ...order('D'), network: '198.51.100.0/24' })
    await expect(full).rejects.toMatchObject({ message: expect.stringContaining('service pins') })
  })

  it('a request under way that fails fails for all who share it, once', async () => {
    service = await startPinService('pinata')
    service.setFault((response) => response.writeHead(500).end())
    const pins = desk(backend('pinata'))
    const failures = await Promise.allSettled([pins.pin(order()), pins.pin(order()), pins.pin(order())])
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    service.setFault(null)
    expect((await pins.pin(order())).headers['ratelimit']).toBe('"app";r=1')
  })

  it('what a service failed to pin is not pinned', async () => {
    service = await startPinService('pinning-service')
    service.setFault((response) => response.end(JSON.stringify({ status: 'failed', pin: { cid } })))
    await expect(desk(backend('pinning-service')).pin(order())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    expect(await store.pins.has('app-one', cid)).toBe(false)
  })

  it('nothing is sent when there is no room', async () => {
    service = await startPinService('kubo')
    const pins = desk(backend('kubo'))
    const names = Array.from({ length: 20 }, (_, index) => `Agent ${index}`)
    const answers = await Promise.allSettled(names.map((name) => pins.pin(order(name))))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(service.seen()).toHaveLength(2)
  })
})
