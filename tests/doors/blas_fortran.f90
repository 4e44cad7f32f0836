! A Fortran program that calls SGEMM: alpha * A' * B + beta * C in parts of larger arrays, against intrinsics in double
! precision. Ends with an error if the result is off by more than rounding explains.
program blas_fortran
    implicit none
    integer, parameter :: m = 37, n = 45, k = 53, gap = 3
    real, parameter :: alpha = 0.5, beta = -1.0
    real :: a(k + gap, m), b(k + gap, n), c(m + gap, n), before(m + gap, n)
    double precision :: exact(m, n), bound(m, n)
    external :: sgemm

    call random_number(a)
    call random_number(b)
    call random_number(c)
    before = c
    exact = alpha * matmul(transpose(dble(a(1:k, :))), dble(b(1:k, :))) + beta * dble(before(1:m, :))
    bound = (k + 3) * 2d0**(-24) * (alpha * matmul(transpose(dble(a(1:k, :))), dble(b(1:k, :))) + dble(before(1:m, :)))

    call sgemm('T', 'N', m, n, k, alpha, a, k + gap, b, k + gap, beta, c, m + gap)
    if (any(abs(c(1:m, :) - exact) > bound)) error stop 'the product is wrong'
    if (any(c(m + 1:, :) /= before(m + 1:, :))) error stop 'something outside C was written'
    print '(a)', 'right'
end program
