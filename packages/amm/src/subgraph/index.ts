export { createSubgraphs } from './create-subgraphs.ts'
