import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { untouchedWorld } from '../tools/refusals.fixture.ts'
import { watchUri, createWatchResources } from './watch-resources.ts'

const { principal: ann } = untouchedWorld()
let store: Store
beforeEach(async () => void (store = await openStore({ path: ':memory:', now: () => 0 })))
afterEach(() => store.close())

const watch = { principal: '{}', chainId: 1, version: 'v4', positionId: '7', conditions: '{}', state: '{}' } as const

test('watches are resources of their owner, as long as it may list them, and of nobody else', async () => {
  const added = await store.watches.of(ann.id).add(watch)
  const uri = watchUri(added?.id ?? '')
  const { watches } = store
  const open = createWatchResources({ watches, isOpenTo: () => true })
  const mimeType = 'application/json'
  expect(await open.list(ann)).toEqual([{ uri, name: 'watch of the v4 position 7', mimeType }])
  // What is stored is not what a watch is: it is there, and nothing of it is shown.
  expect(await open.read(ann, uri)).toEqual({ uri, mimeType, text: '{"watch":null,"events":[]}' })
  const bob = { ...ann, id: 'bob' }
  expect([await open.list(bob), await open.read(bob, uri)]).toEqual([[], null])
  for (const other of [`${uri}0`, uri.slice(0, -1), 'svc://watches/', 'svc://picture/1', `x${uri}`])
    expect([other, await open.read(ann, other)]).toEqual([other, null])
  const shut = createWatchResources({ watches, isOpenTo: () => false })
  expect([await shut.list(ann), await shut.read(ann, uri)]).toEqual([[], null])
  const without = createWatchResources({ watches: null, isOpenTo: () => true })
  expect([await without.list(ann), await without.read(ann, uri)]).toEqual([[], null])
})

test('whoever listens hears whose watch changed', () => {
  const heard: string[] = []
  const resources = createWatchResources({ watches: null, isOpenTo: () => true })
  resources.listen((owner, uri) => void heard.push(`${owner} ${uri}`))
  resources.publish({ owner: 'ann', watchId: '7' })
  expect(heard).toEqual(['ann svc://watches/7'])
})
