import { describe, expect, it } from 'vitest'
import { clientAddress, ipv6Network } from './client-address.ts'

const behind = (forwarded: string | undefined, socketAddress = '10.0.0.1') =>
  clientAddress(['10.0.0.0/8', 'fd00::/8'])({
    headers: { 'x-forwarded-proto': 'https', ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
    socketAddress,
  })

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['198.51.100.1, 203.0.113.9, 10.2.3.4', '203.0.113.9'],
  ['203.0.113.9, fd00::1', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8::1'],
  ['203.0.113.9, nonsense', '10.0.0.1'],
  ['', '10.0.0.1'],
  [undefined, '10.0.0.1'],
])('behind proxies %s is from %s', (forwarded, address) => {
  expect(behind(forwarded)).toEqual({ address })
  expect(behind(forwarded, '::ffff:10.0.0.1')).toEqual({ address })
})

describe('an edge that names the client in a field of its own', () => {
  const named = (fields: Readonly<Record<string, string>>, socketAddress = '10.0.0.1') =>
    clientAddress(
      ['10.0.0.0/8'],
      'fly-client-ip',
    )({
      headers: { 'x-forwarded-proto': 'https', ...fields },
      socketAddress,
    })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    // Within the network of the platform, another machine.
    ['10.9.9.9', '10.9.9.9'],
    // Repeated, as Node joins it.
    ['198.51.100.1, 203.0.113.9', '10.0.0.1'],
    ['nonsense', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('is believed of %s', (value, address) => {
    expect(named({ 'fly-client-ip': value, 'x-forwarded-for': '198.51.100.7' })).toEqual({ address })
  })

  it('counts what has no such field against the proxy, whatever a client wrote elsewhere', () => {
    expect(named({ 'x-forwarded-for': '198.51.100.7', 'true-client-ip': '198.51.100.8' })).toEqual({
      address: '10.0.0.1',
    })
  })

  it('is believed over its own connections and https alone, and read nowhere else', () => {
    const headers = { 'fly-client-ip': '203.0.113.9' }
    expect(named(headers, '198.51.100.7')).toHaveProperty('fault')
    expect(named({ ...headers, 'x-forwarded-proto': 'http' })).toHaveProperty('fault')
    const source = { headers: { ...headers, 'x-forwarded-proto': 'https' }, socketAddress: '10.0.0.1' }
    expect(clientAddress(['10.0.0.1'])(source)).toEqual({ address: '10.0.0.1' })
    expect(clientAddress([], 'fly-client-ip')(source)).toEqual({ address: '10.0.0.1' })
  })
})

it('what came past the proxies, or to them without https, has no address to count on', () => {
  expect(behind('203.0.113.9', '198.51.100.7')).toEqual({ fault: 'The request did not come through the edge proxy.' })
  const overHttp = { headers: { 'x-forwarded-for': '203.0.113.9' }, socketAddress: '10.0.0.1' }
  expect(clientAddress(['10.0.0.1'])(overHttp)).toEqual({ fault: 'The request did not reach the edge over https.' })
})

it('without proxies what a client says of itself counts nothing', () => {
  const source = { headers: { 'x-forwarded-for': '203.0.113.9' }, socketAddress: '::ffff:198.51.100.7' }
  expect(clientAddress([])(source)).toEqual({ address: '198.51.100.7' })
})

it.each([
  ['203.0.113.9', null],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1:2', 'fe80:0:0:0::/64'],
])('%s belongs to %s', (address, network) => {
  expect(ipv6Network(address)).toBe(network)
})
