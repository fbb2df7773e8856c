import { jobFolder, jobFolderOf, jobPath, uploadPath } from './job-folder.ts'
import { errorSink, outputSink, rejectSink } from './job-sinks.ts'
import { openText } from './text-input.ts'

/** Everything that the programs use of this adapter. */
export const files = { openText, jobFolder, jobFolderOf, jobPath, uploadPath, errorSink, outputSink, rejectSink }
