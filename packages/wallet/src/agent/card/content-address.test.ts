import { expect, test } from 'vitest'
import { contentAddress } from './registration-file.ts'

// Addresses that IPFS itself gives raw blocks of these bytes.
test.each([
  ['', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'],
  ['hello world', 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
])('the address of %j is %s', (text, cid) => {
  expect(contentAddress(new TextEncoder().encode(text))).toBe(cid)
})
