(* Lwt's event loop: a pipe of the program with itself, timers, and work in threads. *)
open Lwt.Infix

let () =
  let total = ref 0 in
  let from, into = Lwt_unix.pipe () in
  let write n =
    Lwt_unix.sleep (0.001 *. float_of_int n) >>= fun () ->
    Lwt_unix.write_string into (String.make 1 (Char.chr (48 + n))) 0 1 >|= ignore
  in
  let rec read left =
    if left = 0 then Lwt.return_unit
    else
      let byte = Bytes.create 1 in
      Lwt_unix.read from byte 0 1 >>= fun n ->
      assert (n = 1);
      total := !total + Char.code (Bytes.get byte 0) - 48;
      read (left - 1)
  in
  let compute n = Lwt_preemptive.detach (fun n -> n * n) n >|= fun m -> total := !total + m in
  Lwt_main.run (Lwt.join (read 5 :: List.map write [1; 2; 3; 4; 5] @ List.map compute [1; 2; 3]));
  assert (!total = 29);
  let path = if Array.length Sys.argv > 1 then Sys.argv.(1) else "/dev/stdout" in
  let results = open_out_gen [ Open_append; Open_creat ] 0o644 path in
  output_string results ("total " ^ string_of_int !total ^ "\n");
  close_out results
