import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
let folder: string

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-proof-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

test.each([
  ['a server that does not answer', '', 'npm start: The operation was aborted due to timeout'],
  ['an example that does not end', `response.end('{"result":{"tools":[]}}')`, 'npm start: examples/stays.mjs: '],
])('the proof of npm start waits for %s no longer than it is told', async (_what, answer, said) => {
  await cp(join(root, 'scripts/prove-start.mjs'), join(folder, 'scripts/prove-start.mjs'))
  await mkdir(join(folder, 'examples'))
  await writeFile(join(folder, 'examples/stays.mjs'), `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`)
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "scripts": { "start": "node start.js" } }')
  await writeFile(join(folder, 'start.js'), startWith(answer))
  const { code, stderr } = await proof('2000')
  expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
})

function startWith(answer: string): string {
  return `import { createServer } from 'node:http'
const parent = process.ppid
setInterval(() => process.ppid === parent || process.exit(), 50)
const server = createServer((request, response) => { ${answer} })
server.listen(0, '127.0.0.1', () => {
  console.log('MCP server  http://127.0.0.1:' + server.address().port)
  console.log('write key  svc_write_1\\nCtrl-C')
})`
}

function proof(answersWithinMs: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((resolve) => {
    const words = [join(folder, 'scripts/prove-start.mjs'), answersWithinMs]
    execFile(process.execPath, words, { cwd: folder, timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
  })
}
