import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createAppViews } from './app-views.ts'

const folder = mkdtempSync(join(tmpdir(), 'views-'))
const views = createAppViews(pathToFileURL(`${folder}/`))
afterAll(() => rmSync(folder, { recursive: true }))

test('has none where nothing lies beside the program', () => {
  const none = createAppViews(null)
  expect([none.list(), none.uriOf('lp-range'), none.read('ui://svc/lp-range.html')]).toEqual([[], null, null])
})

test('offers the views that were built, and no other', () => {
  expect([views.list(), views.uriOf('lp-range'), views.read('ui://svc/lp-range.html')]).toEqual([[], null, null])
  writeFileSync(join(folder, 'lp-range.html'), '<p>a view</p>')
  const uri = 'ui://svc/lp-range.html'
  expect(views.list()).toEqual([expect.objectContaining({ uri, name: 'lp-range' })])
  expect([views.uriOf('lp-range'), views.uriOf('lp-backtest')]).toEqual([uri, null])
  expect(views.read(uri)).toMatchObject({ uri, text: '<p>a view</p>' })
  for (const other of ['ui://svc/lp-backtest.html', 'ui://svc/../lp-range.html', 'lp-range', '']) {
    expect(views.read(other)).toBeNull()
  }
})
