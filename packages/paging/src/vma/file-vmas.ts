import { OpenFile, type Vma } from "@lrugen/mm-core";

/**
 * The open file behind a VMA.
 * @throws TypeError for a VMA whose file is nothing that can be read: anonymous memory, or a
 *   MappedFile that is not an OpenFile
 */
export function openFileOf(vma: Vma): OpenFile {
  const { file } = vma;
  if (file instanceof OpenFile) return file;
  const found = file === null ? "no file" : `file ${file.id}, which is no OpenFile`;
  throw new TypeError(`VMA [${vma.start}, ${vma.end}) maps ${found}; paging needs an OpenFile`);
}

/** Page of the file that a VMA maps at a virtual page (linear_page_index). */
export function filePageAt(vma: Vma, vpn: number): number {
  return vma.pgoff + (vpn - vma.start);
}

/** vma_link_file(): the file knows the VMA from now on (i_mmap). Nothing for anonymous memory. */
export function linkFile(vma: Vma): void {
  if (vma.file === null) return;
  const file = openFileOf(vma);
  file.users += 1;
  file.mapping.vmas.push(vma);
}

/** unlink_file_vma(): the file forgets the VMA. Nothing for anonymous memory. */
export function unlinkFile(vma: Vma): void {
  if (vma.file === null) return;
  const file = openFileOf(vma);
  file.users -= 1;
  const { vmas } = file.mapping;
  const at = vmas.indexOf(vma);
  if (at < 0) throw new Error("unlinked a VMA that its file does not know");
  vmas.splice(at, 1);
}
