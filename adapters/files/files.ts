import { jobFolder, jobFolderOf } from './job-folder.ts'
import { openText } from './text-input.ts'

/** Everything that the programs use of this adapter. */
export const files = { openText, jobFolder, jobFolderOf }
