import { expect, test } from 'vitest'
import { hookPermissions } from '../analysis/hook-permissions.ts'

test('permissions are the low fourteen bits of the address', () => {
  expect(hookPermissions('0x0000000000000000000000000000000000000000')).toEqual([])
  expect(hookPermissions('0xffffFFFfFFffffffffffffffFfFFFfffFFFFC000')).toEqual([])
  expect(hookPermissions('0x00000000000000000000000000000000000000C0')).toEqual(['beforeSwap', 'afterSwap'])
  expect(hookPermissions('0x0000000000000000000000000000000000002000')).toEqual(['beforeInitialize'])
  expect(hookPermissions('0x0000000000000000000000000000000000000008')).toEqual(['beforeSwapReturnsDelta'])
  expect(hookPermissions('0x0000000000000000000000000000000000003fff')).toHaveLength(14)
})
