import { type Leader, type Leadership, openStore, type Store, StoreError } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLeaseKeeper } from '../switches/lease-keeper.ts'
import { createRole, type Role, type RoleOptions } from './role.ts'
import { openServerId, readServerId } from './server-id.ts'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let store: Store
let row: Leader | null
const roles: Role[] = []
const log = { info: () => {}, warn: () => {} }

beforeEach(async () => {
  store = await openStore({ path: ':memory:', now: Date.now })
  row = null
})
afterEach(async () => {
  for (const role of roles.splice(0)) await role.end()
  await store.close()
})

/** Over the leases of one store, and a row that all share. */
function roleOf(name: string, more: Partial<RoleOptions> = {}) {
  const heard: string[] = []
  let overtaken = () => {}
  const leadership: Leadership = {
    lead: async ({ holder, place, at }) => {
      const before = row
      row = { holder, place, since: at, epoch: (before?.epoch ?? 0n) + 1n, head: null }
      return { epoch: row.epoch, before }
    },
    follow: () => void heard.push('fenced'),
    onOvertaken: (hear) => void (overtaken = hear),
    read: async () => row,
    keep: async () => undefined,
    resign: async () => void (row = row === null ? null : { ...row, holder: null }),
  }
  const keeper = createLeaseKeeper(store.leases, name)
  const role = createRole({
    leadership,
    keeper,
    who: { holder: name, place: name },
    head: () => null,
    prepare: async (_read, how) => void heard.push(how),
    lead: async () => undefined,
    follow: async () => void heard.push('follow'),
    drained: () => true,
    share: async () => undefined,
    log,
    ...more,
  })
  roles.push(role)
  return { role, heard, keeper, overtake: () => overtaken() }
}

const work = async () => 'done'

test('the first leads, the second follows and says whom, and takes the lead when that one ends', async () => {
  const [a, b] = [roleOf('a'), roleOf('b')]
  await a.role.begin()
  await b.role.begin()
  expect(a.heard).toEqual(['start'])
  expect(await a.role.asLeader(work)).toBe('done')
  expect(b.role.facts()).toMatchObject({ role: 'follower', leader: 'a', takeovers: 0 })
  await expect(b.role.asLeader(work)).rejects.toMatchObject({
    code: 'NOT_LEADER',
    message: expect.stringContaining('(a)'),
  })
  expect(b.role.requireLead).toThrow('writes with this wallet')
  await a.role.end()
  await a.keeper.release()
  await expect.poll(() => b.role.facts().role).toBe('leader')
  expect(b.role.facts()).toMatchObject({ leader: 'b', takeovers: 1, epoch: 2n })
  expect(b.heard).toEqual(['fenced', 'takeover'])
  b.role.requireLead()
})

test('what is decided about taking the lead is decided before it is on record, and again where it fails', async () => {
  const a = roleOf('a')
  await a.role.begin()
  const asked: (string | null)[] = []
  const prepare: RoleOptions['prepare'] = async (read) => {
    asked.push((await read())?.place ?? null)
    if (asked.length === 1) throw new Error('the database went away')
  }
  const b = roleOf('b', { prepare })
  await b.role.begin()
  await a.role.end()
  await a.keeper.release()
  await expect.poll(() => b.role.facts().role).toBe('leader')
  expect(asked).toEqual(['a', 'a'])
})

test('one that lost the lease has it again where nobody led meanwhile, and follows where somebody did', async () => {
  const a = roleOf('a')
  await a.role.begin()
  const { term } = a.role
  const before = term()
  await a.keeper.release()
  expect(a.role.requireLead).toThrow('has not said')
  expect(await a.role.asLeader(work)).toBe('done')
  expect(a.heard).toEqual(['start'])
  row = { ...row!, epoch: 7n, holder: 'b' }
  await a.keeper.release()
  await expect(a.role.asLeader(work)).rejects.toMatchObject({ code: 'NOT_LEADER' })
  expect(a.heard.slice(0, 3)).toEqual(['start', 'fenced', 'follow'])
  expect(before?.aborted).toBe(true)
})

test('while writes of its own are on their way it does not take the lead', async () => {
  let isDrained = false
  const looks: boolean[] = []
  const blocked = await store.leases.acquire({ name: 'server', holder: 'a', within: 'store' })
  const b = roleOf('b', { drained: () => (looks.push(isDrained), isDrained) })
  await b.role.begin()
  await blocked.release()
  const before = looks.length
  await expect.poll(() => looks.length).toBeGreaterThan(before + 1)
  expect(b.role.facts().role).toBe('follower')
  isDrained = true
  await expect.poll(() => b.role.facts().role).toBe('leader')
})

test('one that is overtaken while it has the lease acts no more from that moment, and lets the lease go', async () => {
  const a = roleOf('a', { drained: () => false })
  await a.role.begin()
  const [term, held] = [a.role.term(), await a.keeper.server()]
  row = { ...row!, epoch: 7n, holder: 'b' }
  a.overtake()
  expect(a.role.requireLead).toThrow('Another server writes')
  expect(term?.aborted).toBe(true)
  await expect(a.role.asLeader(work)).rejects.toMatchObject({ code: 'NOT_LEADER' })
  expect(held.isHeld()).toBe(false)
  expect(a.heard).toEqual(['start', 'fenced', 'follow'])
})

test('one that is overtaken while it takes the lead does not lead', async () => {
  const led: string[] = []
  let isFirst = true
  const a = roleOf('a', {
    lead: async () => {
      led.push('settled')
      if (isFirst) a.overtake()
      isFirst = false
    },
  })
  await a.role.begin()
  expect(led).toEqual(['settled', 'settled'])
  expect(a.heard.slice(0, 3)).toEqual(['start', 'fenced', 'follow'])
  expect(a.role.facts()).toMatchObject({ role: 'leader', epoch: 2n })
})

test('where closing what only the leader has fails, the lease goes to another server all the same', async () => {
  const a = roleOf('a', {
    drained: () => false,
    follow: async () => {
      throw new Error('the disk is full')
    },
  })
  await a.role.begin()
  const b = roleOf('b')
  await b.role.begin()
  a.overtake()
  await expect.poll(() => b.role.facts().role).toBe('leader')
})

test('what every server tells the others it tells also while it cannot take a lead that is free', async () => {
  const blocked = await store.leases.acquire({ name: 'server', holder: 'b', within: 'store' })
  let [tries, shared] = [0, 0]
  const a = roleOf('a', {
    prepare: async () => {
      tries += 1
      throw new Error('the disk is full')
    },
    share: async () => void (shared += 1),
  })
  await a.role.begin()
  await blocked.release()
  await expect.poll(() => tries).toBeGreaterThan(0)
  const before = shared
  await expect.poll(() => shared).toBeGreaterThan(before + 1)
})

test('where it is not known who leads nothing is done; where the lead cannot be taken the next look tries again', async () => {
  let isAway = false
  const a = roleOf('a')
  await a.role.begin()
  const away = new StoreError('STORE_UNAVAILABLE', 'away')
  const acquire = store.leases.acquire.bind(store.leases)
  const failing = createRoleWith({ acquire: (request) => (isAway ? Promise.reject(away) : acquire(request)) })
  await a.role.end()
  await a.keeper.release()
  await failing.role.begin()
  isAway = true
  await failing.keeper.release()
  await expect(failing.role.asLeader(work)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  isAway = false
  expect(await failing.role.asLeader(work)).toBe('done')

  function createRoleWith(leases: Store['leases']) {
    const keeper = createLeaseKeeper(leases, 'c')
    return { ...roleOf('c', { keeper }), keeper }
  }
})

let directories: string[]
const newDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-server-id-'))
  directories.push(directory)
  return directory
}
beforeEach(() => {
  directories = []
})
afterEach(() => {
  for (const directory of directories) rmSync(directory, { recursive: true })
})

test('a directory has one id for good, and two on one machine have two', async () => {
  const [one, other] = [newDirectory(), newDirectory()]
  expect(await readServerId(one)).toBeNull()
  const id = await openServerId(one)
  expect(await openServerId(one)).toBe(id)
  expect(await readServerId(one)).toBe(id)
  expect(await openServerId(other)).not.toBe(id)
  const path = join(one, 'server.id')
  expect(readFileSync(path, 'utf8')).toBe(`${id}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test.each(['', 'host-a', 'x'.repeat(36)])('%j is no id, and the fix is said', async (text) => {
  const directory = newDirectory()
  writeFileSync(join(directory, 'server.id'), text)
  const refused = { code: 'STORAGE_UNAVAILABLE', suggestion: expect.stringContaining('Remove server.id') }
  await expect(openServerId(directory)).rejects.toMatchObject(refused)
  await expect(readServerId(directory)).rejects.toMatchObject(refused)
})
