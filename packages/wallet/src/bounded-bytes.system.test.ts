import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// In a process of its own that collects garbage all the time: there a signal that nobody holds is gone before it fires.
test('a body that never ends is left at the deadline, however busy the collector is', async () => {
  const place = (name: string) => JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href)
  const program = `
import { createServer } from 'node:http'
import { boundedBytes } from ${place('bounded-bytes')}
import { withDeadline } from ${place('with-deadline')}
const server = createServer((request, response) => response.write('{"cid":')).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const url = 'http://127.0.0.1:' + server.address().port
const read = async (signal) => boundedBytes(await fetch(url, { signal, redirect: 'error' }), { mostBytes: 1000, signal })
setInterval(() => globalThis.gc(), 20).unref()
const ended = Array.from({ length: 20 }, () => withDeadline({ timeoutMs: 500 }, read).catch((error) => error.name))
const hung = new Promise((resolve) => setTimeout(resolve, 60_000, ['hung']))
console.log([...new Set(await Promise.race([Promise.all(ended), hung]))].join())
process.exit()`
  const node = ['--expose-gc', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, node, { timeout: 120_000 })
  expect(stdout.trim()).toBe('TimeoutError')
})
