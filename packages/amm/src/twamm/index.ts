export { createTwamm } from './create-twamm.ts'
