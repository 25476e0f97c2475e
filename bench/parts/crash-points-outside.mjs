// Crash points around what goes to files and over the network. They are put around the platform (node:fs, fetch), so what is
// killed is what ships. Import this before anything that is to be killed.
import fsp from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { around, end, isDue } from './crash-point.mjs'

// files -----------------------------------------------------------------------------------------------------------------

function fileLabel(path) {
  return /^([\w-]+)\.jsonl?(\.\d+\.tmp|\.new)?$/.exec(basename(String(path)))?.[1] ?? null
}

function wrapHandle(handle, name) {
  return new Proxy(handle, {
    get(target, key) {
      const member = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      const call = member.bind(target)
      if (key === 'appendFile' || key === 'writeFile') {
        return async (data, ...rest) => {
          if (isDue(`file ${name} | torn`)) {
            await call(Buffer.from(data).subarray(0, Math.floor(Buffer.byteLength(data) / 2)), ...rest)
            end()
          }
          return around(`file ${name}: write`, () => call(data, ...rest))
        }
      }
      if (key === 'datasync' || key === 'sync') return (...rest) => around(`file ${name}: sync`, () => call(...rest))
      return call
    },
  })
}

/** Of the lock beside a file, and of the lock of that lock. */
function lockLabel(path) {
  const [, name, locks] = /^([\w-]+)\.jsonl?((\.lock)+)$/.exec(basename(String(path))) ?? []
  return name === undefined ? null : `${name}${locks}`
}

const { link, open, rename, rm } = fsp
fsp.open = async (path, ...rest) => {
  const handle = await open(path, ...rest)
  const name = fileLabel(path)
  return name === null ? handle : wrapHandle(handle, name)
}
fsp.rename = (from, to) => {
  const name = fileLabel(to)
  return name === null ? rename(from, to) : around(`file ${name}: rename`, () => rename(from, to))
}
fsp.link = (from, to) => {
  const name = lockLabel(to)
  return name === null ? link(from, to) : around(`file ${name}: place`, () => link(from, to))
}
fsp.rm = (path, ...rest) => {
  const name = lockLabel(path)
  return name === null ? rm(path, ...rest) : around(`file ${name}: remove`, () => rm(path, ...rest))
}
syncBuiltinESMExports()

// the chain, and what else answers requests -----------------------------------------------------------------------------

const { fetch } = globalThis
const reported = [
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
  'eth_simulateV1',
  'eth_sendUserOperation',
  'eth_getUserOperationReceipt',
  'pm_getPaymasterStubData',
  'pm_getPaymasterData',
]
globalThis.fetch = (input, init) => around(requestLabel(input, init), () => fetch(input, init))

function requestLabel(input, init) {
  const body = typeof init?.body === 'string' ? init.body : ''
  if (body.includes('"jsonrpc"')) return `chain: ${reported.find((method) => body.includes(`"${method}"`)) ?? 'read'}`
  const { pathname } = new URL(input instanceof Request ? input.url : input)
  return `service: ${pathname.replaceAll(/[^/]{20,}/g, '*')}`
}
