import type { RegistrationRecords } from './registration/registration-records.ts'

/** Records that fail for good at one of their writes, as those of a process that dies there. */
export function dyingRecords(
  records: RegistrationRecords,
  moment: 'before' | 'after',
  at: number,
): RegistrationRecords {
  let writes = 0
  return {
    ...records,
    async save(record) {
      const isLast = writes === at
      if (writes > at || (isLast && moment === 'before')) throw new Error('killed')
      writes += 1
      await records.save(record)
      if (isLast) throw new Error('killed')
    },
  }
}
