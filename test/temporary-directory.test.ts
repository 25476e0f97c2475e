import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { expect, it } from 'vitest'

it('keeps what tests leave behind in a directory of the run', () => {
  expect(basename(tmpdir())).toMatch(/^svc-run-/)
})
