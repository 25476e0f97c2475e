import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AbiEvent,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  numberToHex,
  parseAbi,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import { knownEvents, readReceipt } from './read-receipt.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function* inParts(text: string | Uint8Array, size = Infinity): AsyncGenerator<Uint8Array, void> {
  const whole = typeof text === 'string' ? bytes(text) : text
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

const read = (text: string, size?: number) => readReceipt(inParts(text, size))

const [transferTopic] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })
const word = (value: number) => numberToHex(value, { size: 32 })
const place = {
  blockHash: word(7),
  blockNumber: '0x7',
  transactionHash: word(8),
  transactionIndex: '0x0',
  removed: false,
}
const logOf = (topics: readonly Hex[], data: Hex = '0x', index = 0) => ({
  address: zeroAddress,
  topics,
  data,
  logIndex: numberToHex(index),
  ...place,
})
const transfer = (index: number) => logOf([transferTopic, word(1), word(2)], word(3), index)
const head = '"jsonrpc":"2.0","id":1'

test.each([
  ['a receipt', { jsonrpc: '2.0', id: 1, result: { status: '0x1', logs: [transfer(0), logOf([])], gasUsed: '0x1' } }],
  ['members in another order', { result: { logs: [transfer(0)], status: '0x1' }, id: 1, jsonrpc: '2.0' }],
  ['no logs', { id: 1, result: { logs: [] } }],
  ['no receipt', { id: 1, result: null }],
  ['an error', { id: 1, error: { code: -32_000, message: 'logs":[{"a":1}]' } }],
  [
    'texts that look like its own marks',
    { id: '"result":{"logs":[{', result: { note: '\\"}]{', logs: [{ ...transfer(0), note: '"}]\\' }] } },
  ],
  ['lists and objects in a log', { id: 1, result: { logs: [{ ...transfer(0), more: { deep: [{ a: [] }, '}'] } }] } }],
  [
    'logs that are not its own',
    { id: 1, logs: [{ a: 1 }], result: { more: { logs: [{ b: 2 }] }, list: [[{ logs: [{}] }]], logs: [transfer(1)] } },
  ],
  ['a list of one answer', [{ id: 1, result: { logs: [transfer(0)] } }]],
  [
    'a name of more than one byte a sign',
    { id: 1, result: { ключ: 'значение', logs: [{ ...transfer(0), ключ: '☂' }] } },
  ],
  ['a list', { id: 1, result: [{ logs: [{ a: 1 }] }] }],
  ['a text', 'logs'],
])('%s is read as a parser reads it, wherever its parts end', async (_, told) => {
  for (const text of [JSON.stringify(told), JSON.stringify(told, null, 2)]) {
    for (const size of [1, 2, 3, 7, 64, Infinity]) expect(await read(text, size)).toEqual(told)
  }
})

test('of two members of a name the last counts', async () => {
  const logs = (name: string) => `"logs":[{"a":"${name}"}]`
  expect(await read(`{${head},"result":{${logs('x')},${logs('y')}}}`)).toMatchObject({ result: { logs: [{ a: 'y' }] } })
  const last = await read(`{"result":{${logs('x')}},"result":{${logs('y')}}}`)
  expect(last).toEqual({ result: { logs: [{ a: 'y' }] } })
  expect(await read(`{"result":{${logs('x')}},"x\\"result":{${logs('y')}}}`)).toMatchObject({
    result: { logs: [{ a: 'x' }] },
  })
})

test.each([
  '',
  '<html>',
  `{${head},"result":{"logs":[{"a":1`,
  `{${head},"result":{"logs":[{"a":1}`,
  `{${head},"result":{"logs":[{"a":1}]}`,
  `{${head},"result":{"logs":[{"a":}]}}`,
  `{${head},"result":{"logs":[{"a":1]]}}`,
  `{${head},"result":{"logs":[{"a":1},]}}`,
  `{${head},"result":{"logs":[{"a":1}{"a":1}]}}`,
  `{${head},"result":{"logs":[0,{"a":1}]}}`,
  `{${head},"result":{"logs":[7]}}`,
  `{${head},"result":{"logs":[{"a":1}]}}}`,
  `{${head},"result":{"logs":[{"a":"1]}}`,
])('%s is none', async (text) => {
  expect(await read(text)).toBeUndefined()
  expect(await read(text, 1)).toBeUndefined()
})

/** The answer with a receipt of so many logs, in parts as a socket gives them. */
async function* long(count: number, logAt: (index: number) => unknown, end = ']}}'): AsyncGenerator<Uint8Array, void> {
  let text = `{${head},"result":{"status":"0x1","logsBloom":"0x${'0'.repeat(512)}","logs":[`
  for (let index = 0; index < count; index += 1) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(logAt(index))}`
    if (text.length < 65_536) continue
    yield bytes(text)
    text = ''
  }
  yield bytes(text + end)
}

const logsOf = (answer: unknown) => (answer as { result: { logs: unknown[] } }).result.logs

test('a short receipt keeps every log, a long one those of events that are read here', async () => {
  const other = logOf([word(99)])
  const logAt = (index: number) => (index % 10 === 0 ? transfer(index) : index % 2 === 0 ? other : logOf([]))
  expect(logsOf(await readReceipt(long(1_000, logAt)))).toHaveLength(1_000)
  const kept = logsOf(await readReceipt(long(10_000, logAt)))
  expect(kept).toEqual(Array.from({ length: 1_000 }, (_, index) => transfer(index * 10)))
})

test('a log that has not the topics or the data of its event is none of it, and what is no log is kept for who looks at shapes', async () => {
  const odd = [
    logOf([transferTopic]),
    logOf([transferTopic, word(1), word(2)], '0x00'),
    { topics: 7 },
    { topics: [], data: 1 },
  ]
  const logAt = (index: number) => odd[index] ?? logOf([])
  expect(logsOf(await readReceipt(long(10_000, logAt)))).toEqual([{ topics: 7 }, { topics: [], data: 1 }])
})

test('more than the gas of a transaction pays for is refused', async () => {
  await expect(readReceipt(long(200_001, () => ({ topics: [], data: '0x' })))).rejects.toThrow(RangeError)
  await expect(readReceipt(long(100_000, transfer))).rejects.toThrow('too long')
  await expect(readReceipt(long(1, () => Array.from({ length: 100 }, () => ({}))))).resolves.toBeUndefined()
  await expect(readReceipt(long(1, () => ({ a: Array.from({ length: 100 }, () => []) })))).rejects.toThrow(
    'many values',
  )
  await expect(read(`{"a":[${'[],'.repeat(200_000)}[]]}`)).rejects.toThrow('many values')
})

test('a long answer that breaks off says so, a short one as the connection does', async () => {
  async function* broken(count: number) {
    yield* long(count, () => logOf([]), '')
    throw new TypeError('terminated')
  }
  await expect(readReceipt(broken(10))).rejects.toThrow(TypeError)
  await expect(readReceipt(broken(10_000))).rejects.toThrow(RangeError)
})

test('a hundred thousand logs are read in short pieces and little memory', async () => {
  let rounds = 0
  const count = () => {
    rounds += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const before = process.memoryUsage().heapUsed
  let most = 0
  async function* measured() {
    for await (const part of long(107_000, (index) => (index % 100 === 0 ? transfer(index) : logOf([])))) {
      most = Math.max(most, process.memoryUsage().heapUsed - before)
      yield part
    }
  }
  const answer = await readReceipt(measured())
  clearImmediate(next)
  expect(logsOf(answer)).toHaveLength(1_070)
  expect(most).toBeLessThan(100 * 1024 * 1024)
  expect(rounds).toBeGreaterThan(100)
})

test('every event that any package names is among those that are kept', async () => {
  const known = await knownEvents()
  const packages = new URL('../../../', import.meta.url).pathname
  for (const name of ['amm', 'engine', 'tool-server', 'wallet']) {
    const src = join(packages, name, 'src')
    const files = (await readdir(src, { recursive: true })).filter((file) => /(?<!\.test|\.fixture)\.ts$/.test(file))
    for (const file of files) {
      const text = await readFile(join(src, file), 'utf8')
      for (const [, signature = ''] of text.matchAll(/'(event \w+\(.*\))'/g)) {
        expect(known.has(selectorIn(text, signature)), `${file}: ${signature}`).toBe(true)
      }
      for (const [, topic = ''] of text.matchAll(/Topic of .*\n.*'(0x[0-9a-f]{64})'/g)) {
        expect(known.has(topic as Hex), `${file}: ${topic}`).toBe(true)
      }
    }
  }
})

/** A signature may name structs that stand beside it. */
function selectorIn(text: string, signature: string): Hex {
  const structs = [...text.matchAll(/'(struct \w+ \{.*\})'/g)].map(([, struct = '']) => struct)
  const event = parseAbi([...structs, signature] as readonly string[]).find((item) => item.type === 'event')
  return toEventSelector(event as AbiEvent)
}
