/** Errors of loads as tests compare them: as people read them, but without the key of the row. */
import { type ImportProblem, problemLine } from '../../src/import/pipeline/problems.js'

export const lineOf = ({ key, ...problem }: ImportProblem): string => problemLine(problem)
