! SPDX-License-Identifier: Apache-2.0
!
! Appends ten steps of a field, and of its time, to Zarr arrays by the C header of Tessera.
!
! usage: steps FOLDER

module tessera
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: tessera_float64 = 11

  interface
    function tessera_create(path, dtype, rank, shape, chunks, names, array) bind(c) result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: dtype
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: shape(*), chunks(*)
      type(c_ptr), intent(in) :: names(*)
      integer(c_int64_t), intent(out) :: array
      integer(c_int) :: status
    end function

    function tessera_append(array, elements, size) bind(c) result(status)
      import
      integer(c_int64_t), value :: array
      type(c_ptr), value :: elements
      integer(c_size_t), value :: size
      integer(c_int) :: status
    end function

    function tessera_close(array) bind(c) result(status)
      import
      integer(c_int64_t), value :: array
      integer(c_int) :: status
    end function
  end interface
end module

program steps
  use tessera
  implicit none

  integer, parameter :: nx = 6, ny = 4, num_steps = 10
  character(kind=c_char, len=5), target :: time_name = "time" // c_null_char
  character(kind=c_char, len=2), target :: y_name = "y" // c_null_char, x_name = "x" // c_null_char
  real(c_double), target :: u(nx, ny), time
  integer(c_int64_t) :: field, times
  character(len=1000) :: folder
  integer :: i, j, step

  call get_command_argument(1, folder)
  ! The first axis of Fortran is the last one of C.
  call check(tessera_create(trim(folder) // "/u" // c_null_char, tessera_float64, 3_c_size_t, &
                            [0_c_int64_t, int(ny, c_int64_t), int(nx, c_int64_t)], &
                            [1_c_int64_t, int(ny, c_int64_t), int(nx, c_int64_t)], &
                            [c_loc(time_name), c_loc(y_name), c_loc(x_name)], field))
  call check(tessera_create(trim(folder) // "/time" // c_null_char, tessera_float64, 1_c_size_t, &
                            [0_c_int64_t], [1024_c_int64_t], [c_loc(time_name)], times))
  do step = 1, num_steps
    time = 0.5d0 * step
    do j = 1, ny
      do i = 1, nx
        u(i, j) = time + 100 * j + i
      end do
    end do
    call check(tessera_append(field, c_loc(u), c_sizeof(u)))
    call check(tessera_append(times, c_loc(time), c_sizeof(time)))
  end do
  call check(tessera_close(field))
  call check(tessera_close(times))

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop "steps: a function of Tessera failed"
  end subroutine
end program
