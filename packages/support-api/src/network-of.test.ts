import { expect, it } from 'vitest'
import { networkOf } from './app.ts'

it.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
])('%s counts as one client with all of %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
